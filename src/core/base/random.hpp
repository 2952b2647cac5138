// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace commmap {

/// A random number generator (SplitMix64) that gives the same numbers everywhere. The standard
/// library's distributions differ between libraries, but a seed must give the same placement on
/// every machine.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, Fig.
/// 14.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    /// Returns a number in [0, bound). The bias of the remainder is below bound / 2^64.
    /// @pre bound > 0
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }
    /// Returns a number in [0, 1).
    double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

private:
    std::uint64_t state_;
};

/// Shuffles values; all orders are equally likely.
/// Source: Durstenfeld, "Algorithm 235: Random permutation", CACM 7(7), 1964.
template <class T>
void shuffle(std::span<T> values, Random& random) {
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[static_cast<std::size_t>(random.below(i))]);
}

}  // namespace commmap
