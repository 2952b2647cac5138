#pragma once

#include <string>
#include <vector>

#include "core/plan/planner.hpp"

namespace commmap::cli {

/// The plan for a person: candidates with their costs, predicted gain and most loaded port, the
/// choice and the reason, who moves where (move_table). One string per line, no line ends.
[[nodiscard]] std::vector<std::string> describe_plan(const Plan& plan, const Scenario& scenario,
                                                     double threshold_percent);

/// Why the plan's choice was made, in one line.
[[nodiscard]] std::string reason_of_plan(const Plan& plan, const Scenario& scenario,
                                         double threshold_percent);

/// Of the run time, against Slurm's own placement.
[[nodiscard]] double gain_percent(const Plan& plan, const Candidate& candidate);

/// "node m3 out", "switch s1 in", "memory of node m3".
[[nodiscard]] std::string describe_port(const PortLoad& load, const Hct& hct);

}  // namespace commmap::cli
