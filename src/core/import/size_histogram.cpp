// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/size_histogram.hpp"

#include <algorithm>

namespace commmap {

std::vector<MessagesOfLength> spread_bytes(std::span<const std::uint64_t> classes,
                                           std::uint64_t bytes) {
    std::vector<MessagesOfLength> lengths;
    std::uint64_t least = 0;  // with each message as short as its class allows
    for (std::size_t i = 0; i < classes.size(); ++i) {
        if (classes[i] == 0) continue;
        std::uint64_t sum = 0;
        if (i > 0 &&
            (i > 64 || __builtin_mul_overflow(classes[i], std::uint64_t{1} << (i - 1), &sum)))
            return {};
        if (__builtin_add_overflow(least, sum, &least)) return {};
        lengths.push_back({classes[i], sum});
    }
    if (bytes < least) return {};
    // A class ends at twice its beginning. The limit is no tighter, because Open MPI's logarithm is
    // not exact: long messages of 2^n - 1 bytes are one class too high.
    const std::uint64_t more = bytes - least;
    if (more > least) return {};
    if (more == 0) return lengths;
    std::uint64_t left = more;
    const double share = static_cast<double>(more) / static_cast<double>(least);
    for (MessagesOfLength& length : lengths) {
        const auto part = static_cast<std::uint64_t>(share * static_cast<double>(length.bytes));
        const std::uint64_t given = std::min({part, left, length.bytes});
        length.bytes += given;
        left -= given;
    }
    lengths.back().bytes += left;  // of rounding: the longest messages
    return lengths;
}

}  // namespace commmap
