// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace commmap {

/// Aligns a table in columns with two blanks between them: one line for each row, without line
/// ends.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

/// Pads a text with blanks to `width` letters, for a column; a longer text stays as it is.
[[nodiscard]] inline std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text;
}

}  // namespace commmap
