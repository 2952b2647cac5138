// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/hostlist.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <utility>

namespace commmap {
namespace {

constexpr std::size_t max_names = std::size_t{1} << 20U;
constexpr std::size_t max_name_length = 255;  // also bounds the number of brackets
constexpr std::size_t max_digits = 18;
/// Limits the letters of all names together, because a short range can give many long names.
constexpr std::size_t max_letters = std::size_t{1} << 25U;

Error refuse(std::string_view text, const std::string& why) {
    return Error{Errc::invalid_input,
                 fmt::format("hostlist '{}' {} (example: 'n[001-128],login')", text, why)};
}

Error too_long(std::string_view text) {
    return refuse(text, "has names of more than 33554432 letters together");
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= max_digits &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t letters_of(const std::vector<std::string>& names) {
    return std::accumulate(
        names.begin(), names.end(), std::size_t{0},
        [](std::size_t sum, const std::string& name) { return sum + name.size(); });
}

/// Expands "001-003,7" to 001 002 003 7.
Result<std::vector<std::string>> expand_range(std::string_view whole, std::string_view range) {
    std::vector<std::string> numbers;
    while (true) {
        const auto comma = range.find(',');
        const std::string_view part = range.substr(0, comma);
        const auto dash = part.find('-');
        const std::string_view first = part.substr(0, dash);
        const std::string_view last =
            dash == std::string_view::npos ? first : part.substr(dash + 1);
        if (!is_number(first) || !is_number(last))
            return refuse(whole, "has a range that is not numbers");
        std::uint64_t low = 0;
        std::uint64_t high = 0;
        std::from_chars(first.data(), first.data() + first.size(), low);
        std::from_chars(last.data(), last.data() + last.size(), high);
        if (high < low) return refuse(whole, "has a range that runs backwards");
        if (high - low >= max_names || numbers.size() + (high - low) >= max_names)
            return refuse(whole, "has more than 1048576 names");
        for (std::uint64_t value = low; value <= high; ++value) {
            std::string digits = std::to_string(value);
            if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
            numbers.push_back(std::move(digits));
        }
        if (comma == std::string_view::npos) return numbers;
        range.remove_prefix(comma + 1);
    }
}

/// Expands one name, which may have any number of brackets.
Result<std::vector<std::string>> expand_name(std::string_view whole, std::string_view name) {
    std::vector<std::string> names{""};
    while (!name.empty()) {
        const auto open = name.find('[');
        const std::string_view literal = name.substr(0, open);
        if (literal.find(']') != std::string_view::npos)
            return refuse(whole, "has a ']' without a '['");
        if (names.size() * (names.front().size() + literal.size()) > max_letters)
            return too_long(whole);
        for (std::string& prefix : names) prefix += literal;
        if (names.front().size() > max_name_length)
            return refuse(whole, "has a name of more than 255 characters");
        if (open == std::string_view::npos) break;
        const auto close = name.find(']', open);
        if (close == std::string_view::npos) return refuse(whole, "has a '[' without a ']'");
        const auto numbers = expand_range(whole, name.substr(open + 1, close - open - 1));
        if (!numbers) return numbers.error();
        if (names.size() * numbers.value().size() > max_names)
            return refuse(whole, "has more than 1048576 names");
        if (letters_of(names) * numbers.value().size() +
                letters_of(numbers.value()) * names.size() >
            max_letters)
            return too_long(whole);
        std::vector<std::string> product;
        product.reserve(names.size() * numbers.value().size());
        for (const std::string& prefix : names) {
            for (const std::string& number : numbers.value()) product.push_back(prefix + number);
        }
        names = std::move(product);
        name.remove_prefix(close + 1);
    }
    return names;
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text) {
    std::vector<std::string> names;
    std::size_t letters = 0;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const bool end = i == text.size() || (text[i] == ',' && depth == 0);
        if (!end) {
            depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
            continue;
        }
        const std::string_view name = text.substr(start, i - start);
        if (name.empty()) return refuse(text, "has an empty name");
        auto expanded = expand_name(text, name);
        if (!expanded) return expanded.error();
        if (names.size() + expanded.value().size() > max_names)
            return refuse(text, "has more than 1048576 names");
        letters += letters_of(expanded.value());
        if (letters > max_letters) return too_long(text);
        std::move(expanded.value().begin(), expanded.value().end(), std::back_inserter(names));
        start = i + 1;
    }
    return names;
}

}  // namespace commmap
