#pragma once

#include <string_view>

namespace commmap::hooks {

/// A line of commmap's on stderr, in one piece, from two parts. Allocates nothing.
void print_line(std::string_view message, std::string_view rest = {}) noexcept;

}  // namespace commmap::hooks
