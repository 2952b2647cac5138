#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace commmap {

/// Messages of one length, as far as it is known.
struct MessagesOfLength {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  ///< all of them together
    bool operator==(const MessagesOfLength&) const = default;
};

/// Number of classes of pml_monitoring's histogram: messages of no bytes, then [1, 2), [2, 4), [4,
/// 8), ... bytes.
inline constexpr std::size_t most_histogram_classes = 66;

/// Divides bytes among the classes of such a histogram. All classes are taken to lie at the same
/// place between their ends, the one that makes the sum right: when all lengths are powers of two
/// (the sum is the least possible) or all are in one class the result is exact.
///
/// @param classes  messages in each; at most most_histogram_classes
/// @param bytes    of all messages together
/// @return         the classes that have messages, whose sums are those of the histogram; empty
///                 where the histogram cannot be one of so many bytes
[[nodiscard]] std::vector<MessagesOfLength> spread_bytes(std::span<const std::uint64_t> classes,
                                                         std::uint64_t bytes);

}  // namespace commmap
