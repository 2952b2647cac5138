// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/map/xml_text.hpp"

#include <cstddef>
#include <cstdint>

namespace commmap::cli {
namespace {

/// Returns the length of the sequence that begins with this byte; 0: no sequence does.
std::size_t utf8_length(unsigned char first) {
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

/// Returns whether XML text must not have this code point: it is not in its shortest form, a
/// surrogate, beyond Unicode, or forbidden in XML.
bool is_refused(std::uint32_t code, std::size_t length) {
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ||
           code == 0xfffe || code == 0xffff || (code < 0x20 && code != '\t') || code == 0x7f;
}

/// Returns the first character of a text that is not empty; empty when XML forbids that character.
std::string_view first_character(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = utf8_length(first);
    if (length == 0 || length > text.size()) return {};
    std::uint32_t code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xc0U) != 0x80) return {};
        code = code << 6U | (byte & 0x3fU);
    }
    return is_refused(code, length) ? std::string_view{} : text.substr(0, length);
}

std::string_view escaped(std::string_view character) {
    if (character.empty()) return "?";
    switch (character[0]) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return character;
    }
}

}  // namespace

std::string xml_text(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::string_view character = first_character(bytes);
        text += escaped(character);
        bytes.remove_prefix(character.empty() ? 1 : character.size());
    }
    return text;
}

}  // namespace commmap::cli
