// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/number.hpp"

#include <charconv>

namespace commmap {

std::optional<std::uint64_t> parse_number(std::string_view text) {
    std::uint64_t number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (text.empty() || error != std::errc{} || end != last) return std::nullopt;
    return number;
}

}  // namespace commmap
