// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/multi_prog.hpp"

#include <optional>
#include <string_view>

#include "core/base/number.hpp"

namespace commmap::spank {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Splits a line into words between blanks, and removes their quotes.
std::vector<std::string> split(std::string_view line) {
    std::vector<std::string> words;
    char quote = 0;
    bool inside = false;
    for (const char c : line) {
        if (quote == 0 && c == '#' && !inside) break;
        if (quote == 0 && is_blank(c)) {
            inside = false;
            continue;
        }
        if (!inside) words.emplace_back();
        inside = true;
        if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = 0;
        else
            words.back() += c;
    }
    return words;
}

/// Returns whether a list of ranks has a rank; nothing when the text is no list of ranks.
std::optional<bool> has_rank(std::string_view ranks, std::uint32_t rank) {
    bool found = false;
    while (!ranks.empty()) {
        const auto comma = ranks.find(',');
        const std::string_view range = ranks.substr(0, comma);
        const auto dash = range.find('-');
        const auto first = parse_number(range.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
        if (!first || !last) return std::nullopt;
        found = found || (*first <= rank && rank <= *last);
        ranks.remove_prefix(comma == std::string_view::npos ? ranks.size() : comma + 1);
    }
    return found;
}

}  // namespace

std::vector<std::string> multi_prog_words(const std::vector<std::string>& words,
                                          std::uint32_t rank) {
    if (words.size() < 2) return {};
    std::vector<std::string> of_the_rest;
    std::string_view content = words[1];
    while (!content.empty()) {
        const auto end = content.find('\n');
        std::vector<std::string> line = split(content.substr(0, end));
        content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
        if (line.empty()) continue;
        const std::string ranks = line.front();
        line.erase(line.begin());
        if (line.empty()) return {};
        if (ranks == "*") {
            of_the_rest = std::move(line);
            continue;
        }
        const auto found = has_rank(ranks, rank);
        if (!found) return {};
        if (*found) return line;
    }
    return of_the_rest;
}

}  // namespace commmap::spank
