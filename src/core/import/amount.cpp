// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/amount.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "core/base/number.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/text/one_line.hpp"
#include "core/text/text_lines.hpp"

namespace commmap {

Result<RankId> parse_rank(std::string_view word) {
    const auto rank = parse_number(word);
    if (rank && *rank < max_profile_ranks) return static_cast<RankId>(*rank);
    const bool digits = !word.empty() && std::all_of(word.begin(), word.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (digits)
        return Error{Errc::out_of_range,
                     fmt::format("rank {} is above {}, the highest that a profile can have",
                                 one_line(word, 80), max_profile_ranks - 1)};
    return Error{Errc::invalid_input, quoted_word(word) + " is no rank: a whole number from 0 on"};
}

Result<std::uint64_t> parse_amount(std::string_view word, std::string_view what) {
    if (const auto whole = parse_number(word)) return *whole;
    double number = 0.0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
    constexpr double limit = 18446744073709551616.0;  // 2^64
    if (failed != std::errc{} || end != word.data() + word.size() || !(number >= 0.0) ||
        std::signbit(number) || std::round(number) >= limit)
        return Error{Errc::invalid_input,
                     fmt::format("{} is no number of {}: a number from 0 to 2^64 - 1",
                                 quoted_word(word), what)};
    return static_cast<std::uint64_t>(std::round(number));
}

}  // namespace commmap
