// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace commmap::hooks {

/// Acts of a rank in a round (docs/developer/steps.md).
enum class RoundAct : std::uint8_t {
    sent = 1,    ///< a message to a rank, which receives it
    put,         ///< a message to a rank that does not receive it: one-sided, or of a collective
    fetched,     ///< one-sided data from a rank that does not notice
    received,    ///< a message from a rank has come
    collective,  ///< a collective's payload; `what` is CollectiveCount::number
    begun,       ///< a call of a collective on a group begins; `what` is RankGroup::number
    completed,   ///< a call of a collective on a group has ended; `what` is RankGroup::number
};

/// An act of an open round.
struct RoundEvent {
    std::uint64_t key = 0;
    std::uint64_t bytes = 0;
};

/// Packs an act into a key. Acts with the same key are added up.
/// @param what    a rank, or a number as RoundAct says
/// @param bucket  of the message's size, or 0
[[nodiscard]] constexpr std::uint64_t round_key(RoundAct act, std::uint32_t what,
                                                std::size_t bucket = 0) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(act)} << 40 | std::uint64_t{bucket} << 32 | what;
}
[[nodiscard]] constexpr RoundAct act_of(std::uint64_t key) noexcept {
    return static_cast<RoundAct>(static_cast<std::uint8_t>(key >> 40));
}
[[nodiscard]] constexpr std::size_t bucket_of(std::uint64_t key) noexcept {
    return static_cast<std::uint8_t>(key >> 32);
}
[[nodiscard]] constexpr std::uint32_t what_of(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>(key);
}

/// Spreads a key over 64 bits. A sum of such numbers names a set of acts, whatever their order.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t key) noexcept {
    key *= 0x9e37'79b9'7f4a'7c15;
    return key ^ key >> 32;
}

}  // namespace commmap::hooks
