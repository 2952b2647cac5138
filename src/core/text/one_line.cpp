// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/one_line.hpp"

#include <algorithm>
#include <bit>

namespace commmap {
namespace {

unsigned char byte_of(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Returns the number of bytes of the UTF-8 character with which a text begins; 0: there is none.
/// Source: Unicode 15.0, table 3-7. What this function takes too for a character has no control in
/// it.
std::size_t length_of_character(std::string_view text) {
    const unsigned char first = byte_of(text, 0);
    if (first < 0x80) return 1;
    const auto length = static_cast<std::size_t>(std::countl_one(first));
    if (first < 0xc2 || length > 4 || length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte_of(text, i) & 0xc0) != 0x80) return 0;
    // A character in more bytes than it needs (overlong) may be a control.
    if ((first == 0xe0 && byte_of(text, 1) < 0xa0) || (first == 0xf0 && byte_of(text, 1) < 0x90))
        return 0;
    return length;
}

/// Tells whether a terminal may obey a character, or a byte that belongs to none. The controls
/// U+0080 to U+009F are also bytes of many UTF-8 characters, which are none.
bool is_control(std::string_view character) {
    const unsigned char first = byte_of(character, 0);
    if (character.size() == 2) return first == 0xc2 && byte_of(character, 1) < 0xa0;
    return character.size() == 1 && (first < 0x20 || (first >= 0x7f && first < 0xa0));
}

}  // namespace

std::string one_line(std::string_view text, std::size_t max_length) {
    std::string line(text.substr(0, text.size() > max_length ? max_length * 2 / 3 : text.size()));
    if (text.size() > max_length) {
        line += "...";
        line += text.substr(text.size() - max_length / 3);
    }
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t length = length_of_character(std::string_view(line).substr(at));
        const std::size_t bytes = std::max<std::size_t>(length, 1);
        if (is_control(std::string_view(line).substr(at, bytes)))
            line.replace(at, bytes, bytes, ' ');
        at += bytes;
    }
    return line;
}

std::string quoted(std::string_view text, std::size_t max_length) {
    return "'" + one_line(text, max_length) + "'";
}

}  // namespace commmap
