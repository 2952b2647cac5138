// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace commmap {

/// Messages of one length, or of a range of lengths when the length is not known exactly.
struct MessagesOfLength {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< all of them together
    bool operator==(const MessagesOfLength&) const = default;
};

/// The most classes of a histogram of Open MPI's pml_monitoring: messages of no bytes, then [1, 2),
/// [2, 4), [4, 8), ... bytes.
inline constexpr std::size_t most_histogram_classes = 66;

/// Divides a sum of bytes among the classes of such a histogram. In every class the length is taken
/// to lie at the same fraction of the way between the class's ends: the fraction that gives the
/// right sum. The result is exact when all lengths are powers of two (the sum is then the least
/// possible), or when all messages are in one class.
///
/// @param classes  number of messages in each class; at most most_histogram_classes
/// @param bytes    of all messages together
/// @return         the classes that have messages, with sums equal to those of the histogram; empty
///                 when no such histogram can have so many bytes
[[nodiscard]] std::vector<MessagesOfLength> spread_bytes(std::span<const std::uint64_t> classes,
                                                         std::uint64_t bytes);

}  // namespace commmap
