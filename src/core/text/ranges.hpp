// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace commmap {

/// Formats a range of numbers: "3-5", or "3" when both ends are equal.
[[nodiscard]] std::string range_text(std::size_t first, std::size_t last);

/// Formats each run of consecutive numbers as a range: 0 1 2 5 -> "0-2", "5".
[[nodiscard]] std::vector<std::string> ranges_of(std::span<const std::uint32_t> ascending);

}  // namespace commmap
