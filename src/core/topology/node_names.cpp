// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/node_names.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>

#include "core/text/hostlist.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

constexpr std::size_t max_name_length = 255;
constexpr std::size_t max_brackets = 8;

/// A name split before its last digits: "node012" is "node" and 12 with width 3. Without digits the
/// width is 0. At most 18 digits are taken, which fit the number.
struct NumberedName {
    std::string_view prefix;
    std::uint64_t number = 0;
    std::size_t width = 0;
};

NumberedName split_name(std::string_view name) {
    std::size_t digits = 0;
    while (digits < name.size() && digits < 18 && name[name.size() - 1 - digits] >= '0' &&
           name[name.size() - 1 - digits] <= '9') {
        ++digits;
    }
    NumberedName split{name.substr(0, name.size() - digits), 0, digits};
    std::from_chars(name.data() + name.size() - digits, name.data() + name.size(), split.number);
    return split;
}

bool follows(const NumberedName& next, const NumberedName& last) {
    if (next.width == 0 || last.width == 0 || next.prefix != last.prefix) return false;
    if (next.number != last.number + 1) return false;
    // "n9, n10" and "n09, n10" are ranges, "n09, n010" is none.
    return next.width == last.width ||
           (next.width == last.width + 1 && std::to_string(next.number).size() == next.width);
}

}  // namespace

Result<std::vector<std::string>> expand_node_names(std::string_view text) {
    std::size_t length = 0;
    std::size_t brackets = 0;
    bool inside = false;
    for (const char c : text) {
        if (c == ',' && !inside) length = brackets = 0;
        if (c == '[') {
            inside = true;
            ++brackets;
        }
        if (!inside && c != ',') ++length;
        if (c == ']') inside = false;
        if (length > max_name_length || brackets > max_brackets) {
            return Error{Errc::invalid_input,
                         fmt::format("hostlist {} has a name with more than {}", quoted(text, 60),
                                     length > max_name_length ? "255 characters" : "8 brackets")};
        }
    }
    auto names = expand_hostlist(text);
    if (!names) return Error{names.error().code, one_line(names.error().message)};
    return names;
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    std::size_t i = 0;
    while (i < names.size()) {
        const NumberedName first = split_name(names[i]);
        // Consecutive ranges with the same prefix share a bracket.
        std::string ranges;
        std::size_t num_names = 0;
        while (i < names.size()) {
            const NumberedName low = split_name(names[i]);
            if (low.prefix != first.prefix || low.width == 0) break;
            NumberedName high = low;
            std::size_t next = i + 1;
            while (next < names.size() && follows(split_name(names[next]), high)) {
                high = split_name(names[next++]);
            }
            ranges += ranges.empty() ? "" : ",";
            ranges += names[i].substr(low.prefix.size());
            if (next > i + 1) ranges += '-' + names[next - 1].substr(high.prefix.size());
            num_names += next - i;
            i = next;
        }
        text += text.empty() ? "" : ",";
        if (num_names == 0) {
            text += names[i++];
        } else {
            text += std::string(first.prefix) + (num_names > 1 ? '[' + ranges + ']' : ranges);
        }
    }
    return text;
}

}  // namespace commmap
