// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace commmap {

/// The size buckets of messages: <= 16 B, <= 64 B, <= 256 B, ... by factors of four. The thirteenth
/// takes everything above 64 MiB.
/// Source: Riesen, "Communication Patterns", Sec. 3.5.
inline constexpr std::size_t num_size_buckets = 13;

/// Returns the upper bound of bucket i in bytes, inclusive; the last one has none.
[[nodiscard]] constexpr std::uint64_t bucket_limit_bytes(std::size_t bucket) {
    return bucket + 1 < num_size_buckets ? std::uint64_t{16} << (2 * bucket) : UINT64_MAX;
}

/// Returns the bucket of a message. Branch-free but for the two ends, because it runs at every
/// recorded send.
/// Cost: a few cycles.
[[nodiscard]] constexpr std::size_t size_bucket(std::uint64_t bytes) {
    if (bytes <= 16) return 0;
    // 17..64 -> bit width of (bytes-1) is 5..6 -> 1; 65..256 -> 7..8 -> 2; ...
    const std::size_t bucket = (static_cast<std::size_t>(std::bit_width(bytes - 1)) - 3) / 2;
    return bucket < num_size_buckets ? bucket : num_size_buckets - 1;
}

/// Returns the bucket of the payload of a collective call; 0 when the messages are in the
/// point-to-point traffic, where members differ.
[[nodiscard]] constexpr std::uint8_t collective_bucket(std::uint64_t bytes, bool in_peer_traffic) {
    return in_peer_traffic ? std::uint8_t{0} : static_cast<std::uint8_t>(size_bucket(bytes));
}
/// Tells whether collective_bucket() can give this bucket.
[[nodiscard]] constexpr bool is_collective_bucket(std::uint8_t bucket, bool in_peer_traffic) {
    return bucket < num_size_buckets && (!in_peer_traffic || bucket == 0);
}

}  // namespace commmap
