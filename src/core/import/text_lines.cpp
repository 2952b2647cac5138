#include "core/import/text_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/number.hpp"
#include "core/base/one_line.hpp"
#include "core/profile/profile_codec.hpp"

namespace commmap {

bool TextLines::next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
}

Error TextLines::error(const std::string& what) const {
    return error_in_line(name_, number_, what);
}

Error error_in_line(std::string_view name, std::size_t line, const std::string& what) {
    return Error{Errc::invalid_input, one_line(name) + ":" + std::to_string(line) + ": " + what};
}

std::string_view Words::next() {
    const std::size_t begin = std::min(rest_.find_first_not_of(separators_), rest_.size());
    rest_.remove_prefix(begin);
    const std::size_t end = std::min(rest_.find_first_of(separators_), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
}

std::string quoted_word(std::string_view word) {
    std::string text = quoted(word);
    for (char& c : text)
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';  // of a binary file
    return text;
}

Result<RankId> parse_rank(std::string_view word) {
    const auto rank = parse_number(word);
    if (rank && *rank < max_profile_ranks) return static_cast<RankId>(*rank);
    const bool digits = !word.empty() && std::all_of(word.begin(), word.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (digits)
        return Error{Errc::out_of_range, "rank " + one_line(word, 80) + " is above " +
                                             std::to_string(max_profile_ranks - 1) +
                                             ", the highest that a profile can have"};
    return Error{Errc::invalid_input, quoted_word(word) + " is no rank: a whole number from 0 on"};
}

Result<std::uint64_t> parse_amount(std::string_view word, std::string_view what) {
    if (const auto whole = parse_number(word)) return *whole;
    double number = 0.0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
    constexpr double limit = 18446744073709551616.0;  // 2^64
    if (failed != std::errc{} || end != word.data() + word.size() || !(number >= 0.0) ||
        std::signbit(number) || std::round(number) >= limit)
        return Error{Errc::invalid_input, quoted_word(word) + " is no number of " +
                                              std::string(what) + ": a number from 0 to 2^64 - 1"};
    return static_cast<std::uint64_t>(std::round(number));
}

}  // namespace commmap
