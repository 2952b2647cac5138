// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/handover/inside_value.hpp"

namespace commmap::spank {
namespace {

constexpr std::string_view version = "1";
constexpr std::string_view verbose_word = ",verbose";

}  // namespace

std::string format_inside_value(const InsideValue& value) {
    std::string text(version);
    if (value.verbose) text += verbose_word;
    return text + ':' + value.rules;
}

Result<InsideValue> parse_inside_value(std::string_view value) {
    const auto colon = value.find(':');
    if (colon == std::string_view::npos || colon + 1 == value.size())
        return Error{Errc::invalid_input, "no rules for collectives"};
    std::string_view before = value.substr(0, colon);
    InsideValue parsed{before.ends_with(verbose_word), std::string(value.substr(colon + 1))};
    if (parsed.verbose) before.remove_suffix(verbose_word.size());
    if (before != version)
        return Error{Errc::not_supported, "this node has another version of commmap than srun"};
    return parsed;
}

}  // namespace commmap::spank
