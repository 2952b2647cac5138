#pragma once

#include <string>
#include <vector>

namespace commmap {

/// A line of each row, its cells in columns with two blanks between them. No line ends.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace commmap
