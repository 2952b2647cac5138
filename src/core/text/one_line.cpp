// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/one_line.hpp"

namespace commmap {

std::string one_line(std::string_view text, std::size_t max_length) {
    std::string line(text.substr(0, text.size() > max_length ? max_length * 2 / 3 : text.size()));
    if (text.size() > max_length) {
        line += "...";
        line += text.substr(text.size() - max_length / 3);
    }
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return line;
}

std::string quoted(std::string_view text, std::size_t max_length) {
    return "'" + one_line(text, max_length) + "'";
}

}  // namespace commmap
