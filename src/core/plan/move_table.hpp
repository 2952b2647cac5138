#pragma once

#include <string>
#include <vector>

#include "core/estimate/estimator.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// Who moves where, for a person: how many ranks move; then a row for each node that gets other
/// ranks, in node-list order, with its ranks under both placements; at most 20 lines, long rows and
/// the rest of the nodes summed up. No line ends. Cost: O(ranks).
[[nodiscard]] std::vector<std::string> move_table(const Hct& hct, Placement before,
                                                  Placement after);

}  // namespace commmap
