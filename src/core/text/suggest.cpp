// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <vector>

namespace commmap {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                              std::tolower(static_cast<unsigned char>(b[j]));
            const std::size_t change = diagonal + (same ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, change});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string_view> candidates) {
    std::size_t best = word.size() / 2 + 1;
    std::string name;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            name = candidate;
        }
    }
    return name;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string name = nearest_name(word, candidates);
    return name.empty() ? "" : fmt::format("; did you mean '{}'?", name);
}

}  // namespace commmap
