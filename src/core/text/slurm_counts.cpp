// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/slurm_counts.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstddef>
#include <string>

#include "core/text/one_line.hpp"

namespace commmap {
namespace {

constexpr std::size_t max_nodes = std::size_t{1} << 20U;

/// Reads a number > 0 from the front of `text` and removes it.
bool take_number(std::string_view& text, std::uint32_t& number) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || number == 0) return false;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    return true;
}

bool take(std::string_view& text, std::string_view expected) {
    if (text.substr(0, expected.size()) != expected) return false;
    text.remove_prefix(expected.size());
    return true;
}

}  // namespace

Result<std::vector<std::uint32_t>> parse_slurm_counts(std::string_view text) {
    const auto refuse = [&](const std::string& why) {
        return Error{
            Errc::invalid_input,
            fmt::format("CPU counts {} {} (example: '4(x3),2' for 4 4 4 2)", quoted(text), why)};
    };
    std::vector<std::uint32_t> counts;
    std::string_view rest = text;
    do {
        std::uint32_t count = 0;
        std::uint32_t times = 1;
        if (!take_number(rest, count)) return refuse("have something that is not a number above 0");
        if (take(rest, "(x") && !(take_number(rest, times) && take(rest, ")"))) {
            return refuse("have a '(x' that is not followed by a number above 0 and ')'");
        }
        if (times > max_nodes - counts.size()) return refuse("are for more than 1048576 nodes");
        counts.insert(counts.end(), times, count);
    } while (take(rest, ","));
    if (!rest.empty())
        return refuse(fmt::format("have {} where ',' or the end belongs", quoted(rest, 20)));
    return counts;
}

std::string format_counts(const std::vector<std::uint32_t>& counts) {
    std::string text;
    for (const std::uint32_t count : counts)
        text += (text.empty() ? "" : ",") + std::to_string(count);
    return text;
}

}  // namespace commmap
