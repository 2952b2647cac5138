// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "cli/job_arguments.hpp"
#include "core/plan/planner.hpp"

namespace commmap::cli {

/// Returns the options of make_plan(), from the option table's values.
[[nodiscard]] PlannerOptions planner_options(const Options& options);

/// Describes the cost of each constraint on the order: the best placement found under it, Slurm's
/// own last.
/// Returns one string per line, without line ends. The row says so if options.deadline ended its
/// search.
/// Cost: two more plans.
///
/// @param plan  under options.keep
[[nodiscard]] std::vector<std::string> describe_keeping(const Plan& plan, const Job& job,
                                                        const PlannerOptions& options);

}  // namespace commmap::cli
