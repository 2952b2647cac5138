#pragma once

#include <bit>
#include <cstdint>

namespace commmap {

/// Members counted from the root, as rooted trees see them.
struct FromRoot {
    std::uint32_t num_members;
    std::uint32_t root;
    /// Member with distance `i` from the root.
    [[nodiscard]] std::uint32_t member(std::uint32_t i) const {
        return static_cast<std::uint32_t>((std::uint64_t{i} + root) % num_members);
    }
};

/// A buffer cut into as equal parts as bytes allow; the first ones take the remainder.
struct Blocks {
    std::uint64_t total_bytes;
    std::uint32_t count;
    /// Where block i begins; begin(count) == total_bytes.
    [[nodiscard]] std::uint64_t begin(std::uint32_t i) const {
        const std::uint64_t rest = total_bytes % count;
        return i * (total_bytes / count) + (i < rest ? i : rest);
    }
    [[nodiscard]] std::uint64_t bytes(std::uint32_t first, std::uint32_t last) const {
        return begin(last) - begin(first);
    }
};

/// The way in which algorithms for powers of two treat other numbers of members: of the first 2 *
/// rest members one of each pair (an even one and the odd one after it) gives its data to the other
/// and waits for the result.
struct PowerOfTwoGroup {
    explicit PowerOfTwoGroup(std::uint32_t num_members)
        : size(std::bit_floor(num_members)), rest(num_members - std::bit_floor(num_members)) {}
    std::uint32_t size;
    std::uint32_t rest;
    /// Member that plays participant i; `odd_stays` says which one of a pair takes part.
    [[nodiscard]] std::uint32_t member(std::uint32_t i, bool odd_stays) const {
        return i < rest ? 2 * i + (odd_stays ? 1U : 0U) : i + rest;
    }
};

}  // namespace commmap
