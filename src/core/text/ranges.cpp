// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/ranges.hpp"

namespace commmap {

std::string range_text(std::size_t first, std::size_t last) {
    return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

std::vector<std::string> ranges_of(std::span<const std::uint32_t> ascending) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < ascending.size();) {
        std::size_t end = i;
        while (end + 1 < ascending.size() && ascending[end + 1] == ascending[end] + 1) ++end;
        words.push_back(range_text(ascending[i], ascending[end]));
        i = end + 1;
    }
    return words;
}

}  // namespace commmap
