// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/message.hpp"

#include <cstring>

namespace commmap::bench {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t word_step = 0x9E3779B97F4A7C15ULL;

std::uint64_t word_at(std::uint64_t key, std::size_t index) { return key + index * word_step; }

}  // namespace

std::uint64_t mix(std::uint64_t value) {
    value += word_step;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

std::uint64_t message_key(const MessageId& id) {
    std::uint64_t key = mix(id.seed);
    key = mix(key ^ static_cast<std::uint64_t>(id.sender));
    key = mix(key ^ static_cast<std::uint64_t>(id.receiver));
    key = mix(key ^ static_cast<std::uint64_t>(id.channel));
    return mix(key ^ id.iteration);
}

void fill_message(std::span<std::byte> data, const MessageId& id) {
    const std::uint64_t key = message_key(id);
    const std::size_t words = data.size() / word_bytes;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = word_at(key, i);
        std::memcpy(data.data() + i * word_bytes, &word, word_bytes);
    }
    const std::uint64_t last = word_at(key, words);
    std::memcpy(data.data() + words * word_bytes, &last, data.size() % word_bytes);
}

std::optional<std::size_t> find_damage(std::span<const std::byte> data, const MessageId& id) {
    const std::uint64_t key = message_key(id);
    const std::size_t words = data.size() / word_bytes;

    // Without an exit inside the loop it becomes vector code; the place is looked for only on
    // damage.
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, data.data() + i * word_bytes, word_bytes);
        difference |= word ^ word_at(key, i);
    }
    const std::uint64_t last = word_at(key, words);
    const bool tail_right =
        std::memcmp(data.data() + words * word_bytes, &last, data.size() % word_bytes) == 0;
    if (difference == 0) {
        return tail_right ? std::nullopt : std::optional(words * word_bytes);
    }
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t word = word_at(key, i);
        if (std::memcmp(data.data() + i * word_bytes, &word, word_bytes) != 0) {
            return i * word_bytes;
        }
    }
    return std::nullopt;
}

}  // namespace commmap::bench
