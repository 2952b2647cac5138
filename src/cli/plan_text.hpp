#pragma once

#include <string>
#include <vector>

#include "core/plan/planner.hpp"

namespace commmap::cli {

/// The plan for a person: candidates with their costs, the choice and the reason, the most loaded
/// port before and after, the placement node by node. One string per line, no line ends.
[[nodiscard]] std::vector<std::string> describe_plan(const Plan& plan, const Scenario& scenario,
                                                     double threshold_percent);

/// "node m3 out", "switch s1 in", "memory of node m3".
[[nodiscard]] std::string describe_port(const PortLoad& load, const Hct& hct);

/// "m0: 0 3", "m1: 1-2", ...: which ranks sit on each node, in node-list order; equal neighbours
/// are not folded.
[[nodiscard]] std::vector<std::string> describe_placement(const Hct& hct, Placement placement);

/// Cells in columns, two blanks between them; a line end after each line.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& lines);

}  // namespace commmap::cli
