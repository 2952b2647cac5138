// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace commmap::bench {

/// Splits `count` into as many factors as `dimensions`, the largest first, so that their sum is the
/// smallest: as near to a square or a cube as it can be. A prime gives {prime, 1, 1}.
/// Cost: O(divisors of count ^ (dimensions - 1)).
[[nodiscard]] std::vector<std::uint32_t> grid_sides(std::uint32_t count, std::size_t dimensions);

/// In ascending order, with 1 and `count`. Cost: O(sqrt(count)).
[[nodiscard]] std::vector<std::uint32_t> divisors(std::uint32_t count);

}  // namespace commmap::bench
