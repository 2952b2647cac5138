#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace commmap {

/// "3", "3-5"
[[nodiscard]] std::string range_text(std::size_t first, std::size_t last);

/// Each run of consecutive numbers as a word: 0 1 2 5 -> "0-2", "5".
[[nodiscard]] std::vector<std::string> ranges_of(std::span<const std::uint32_t> ascending);

}  // namespace commmap
