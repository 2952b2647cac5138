// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>

namespace commmap {

/// Numbers the members of a call from its root, as tree algorithms need it.
struct FromRoot {
    std::uint32_t num_members;
    std::uint32_t root;
    /// Returns the member at distance `i` from the root.
    [[nodiscard]] std::uint32_t member(std::uint32_t i) const {
        return static_cast<std::uint32_t>((std::uint64_t{i} + root) % num_members);
    }
};

/// Cuts a buffer into blocks whose sizes differ by at most one byte; the first blocks are the
/// larger ones.
struct Blocks {
    std::uint64_t total_bytes;
    std::uint32_t count;
    /// Returns where block i begins; begin(count) == total_bytes.
    [[nodiscard]] std::uint64_t begin(std::uint32_t i) const {
        const std::uint64_t rest = total_bytes % count;
        return i * (total_bytes / count) + (i < rest ? i : rest);
    }
    /// Bytes of the blocks [first, last).
    [[nodiscard]] std::uint64_t bytes(std::uint32_t first, std::uint32_t last) const {
        return begin(last) - begin(first);
    }
};

/// Reduces the members of a call to a power of two, for algorithms that need one. The first 2 *
/// rest members form pairs of an even member and the odd member after it. One member of a pair
/// gives its data to the other, and waits for the result.
struct PowerOfTwoGroup {
    explicit PowerOfTwoGroup(std::uint32_t num_members)
        : size(std::bit_floor(num_members)), rest(num_members - std::bit_floor(num_members)) {}
    std::uint32_t size;
    std::uint32_t rest;
    /// Returns the member that takes part as participant i. `odd_stays` says which member of a pair
    /// takes part.
    [[nodiscard]] std::uint32_t member(std::uint32_t i, bool odd_stays) const {
        return i < rest ? 2 * i + (odd_stays ? 1U : 0U) : i + rest;
    }
};

}  // namespace commmap
