// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "core/plan/planner.hpp"

namespace commmap::cli {

/// Describes a plan to a person, one string per line, without line ends:
/// - candidates with their costs, predicted gain and most loaded port;
/// - the choice and its reason;
/// - the ranks that move, and where they move (move_table).
[[nodiscard]] std::vector<std::string> describe_plan(const Plan& plan, const Scenario& scenario,
                                                     double threshold_percent);

/// Returns in one line why the plan made its choice.
[[nodiscard]] std::string reason_of_plan(const Plan& plan, const Scenario& scenario,
                                         double threshold_percent);

/// Returns the gain in run time against Slurm's own placement.
[[nodiscard]] double gain_percent(const Plan& plan, const Candidate& candidate);

/// Returns a port's name: "node m3 out", "switch s1 in", "memory of node m3".
[[nodiscard]] std::string describe_port(const PortLoad& load, const Hct& hct);

}  // namespace commmap::cli
