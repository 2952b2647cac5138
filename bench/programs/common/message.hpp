// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace commmap::bench {

/// Names one message. Two messages of a run differ in at least one field, so that a message that
/// is stale, misrouted or swapped with another is found as surely as a damaged one.
struct MessageId {
    std::uint64_t seed = 0;
    int sender = 0;
    int receiver = 0;
    int channel = 0;  ///< tells messages between the same two ranks in one iteration apart
    std::uint64_t iteration = 0;
};

/// One step of the splitmix64 generator: a bijection of 64-bit words that mixes well.
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
[[nodiscard]] std::uint64_t mix(std::uint64_t value);

/// First word of the contents of a message.
[[nodiscard]] std::uint64_t message_key(const MessageId& id);

/// Fills `data` with the contents that belong to `id`: 64-bit word i is key + i * odd constant.
void fill_message(std::span<std::byte> data, const MessageId& id);

/// Compares every byte of `data` with what fill_message() writes.
///
/// @return offset of the first 8-byte word that differs; nothing when all bytes are right
[[nodiscard]] std::optional<std::size_t> find_damage(std::span<const std::byte> data,
                                                     const MessageId& id);

}  // namespace commmap::bench
