// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "core/estimate/estimator.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// Describes for people which ranks a placement moves. The first line counts the ranks that move.
/// Then each node whose ranks change has a row, in node-list order, with its ranks before and
/// after. At most 20 lines; long rows and the remaining nodes are summed up.
/// @return  lines without line ends
/// Cost: O(ranks).
[[nodiscard]] std::vector<std::string> move_table(const Hct& hct, Placement before,
                                                  Placement after);

}  // namespace commmap
