#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace commmap {

/// Text for a one-line message: control characters become blanks, a long middle becomes "...".
[[nodiscard]] std::string one_line(std::string_view text, std::size_t max_length = 400);

/// The same between single quotes: a word of somebody's input.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t max_length = 80);

}  // namespace commmap
