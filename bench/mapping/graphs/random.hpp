// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace commmap::bench {

/// Spreads the bits of a number over all 64: a hash. Source: the finalizer of SplitMix64 (Steele,
/// Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, Fig. 14).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t number) {
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    number = (number ^ (number >> 27U)) * 0x94D049BB133111EBULL;
    return number ^ (number >> 31U);
}

/// SplitMix64, written here a second time on purpose: an instance must stay the same when the
/// mappers' generator changes.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        return mix(state_);
    }
    /// In [0, bound); the bias of the remainder is below bound / 2^64. @pre bound > 0
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    /// In [0, 1).
    double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

private:
    std::uint64_t state_;
};

/// Numbers 0..count-1 in an order that depends on `seed` alone (Fisher-Yates by hand: std::shuffle
/// may differ between standard libraries).
[[nodiscard]] inline std::vector<std::uint32_t> random_permutation(std::uint32_t count,
                                                                   std::uint64_t seed) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    Random random(seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    return order;
}

}  // namespace commmap::bench
