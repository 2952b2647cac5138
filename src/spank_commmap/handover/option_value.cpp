// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/handover/option_value.hpp"

namespace commmap::spank {
namespace {

constexpr std::string_view head = "placed";
constexpr std::string_view version = "1";
constexpr std::string_view verbose_word = ",verbose";

/// Removes a word from the front of a text, and returns whether the word was there.
bool take(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

}  // namespace

bool is_placed_value(std::string_view value) {
    const auto parsed = parse_placed_value(value);
    return parsed || parsed.error().code == Errc::not_supported;
}

std::string format_placed_value(const PlacedValue& value) {
    std::string text(head);
    text += version;
    if (value.verbose) text += verbose_word;
    return text + ':' + value.cpu_sets;
}

Result<PlacedValue> parse_placed_value(std::string_view value) {
    PlacedValue parsed;
    const bool begun = take(value, head);
    const std::string_view written = value.substr(0, value.find_first_not_of("0123456789"));
    value.remove_prefix(written.size());
    parsed.verbose = take(value, verbose_word);
    if (!begun || !take(value, ":"))
        return Error{Errc::invalid_input, "not the value of a placed launch"};
    if (written != version)
        return Error{Errc::not_supported, "this node has another version of commmap than srun"};
    parsed.cpu_sets = value;
    return parsed;
}

}  // namespace commmap::spank
