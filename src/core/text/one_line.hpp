// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace commmap {

/// Makes a text fit for a one-line message: control characters become blanks, and the middle of a
/// long text becomes "...". The text is UTF-8. Bytes that are not, and that 8-bit terminals take
/// for control characters, become blanks too.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t max_length = 400);

/// Quotes a word of somebody's input for a message, with the same changes.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t max_length = 80);

}  // namespace commmap
