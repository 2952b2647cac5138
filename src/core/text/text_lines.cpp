// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/text_lines.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/text/one_line.hpp"

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
    return Error{Errc::invalid_input, fmt::format("{}:{}: {}", one_line(name), line, what)};
}

/// Compares by hand. The searches of string_view call memchr() for each character, which took half
/// of the time of reading a graph.
std::string_view Words::next() {
    const auto separates = [this](char c) {
        for (const char separator : separators_)
            if (c == separator) return true;
        return false;
    };
    const char* begin = rest_.data();
    const char* const last = begin + rest_.size();
    while (begin != last && separates(*begin)) ++begin;
    const char* end = begin;
    while (end != last && !separates(*end)) ++end;
    rest_ = {end, last};
    return {begin, end};
}

std::optional<double> parse_positive(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (!std::isfinite(value) || value <= 0) return std::nullopt;
    return value;
}

std::string quoted_word(std::string_view word) {
    std::string text = quoted(word);
    for (char& c : text)
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';  // the file may be binary
    return text;
}

}  // namespace commmap
