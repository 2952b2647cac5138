#pragma once

#include <string>
#include <vector>

#include "cli/job_arguments.hpp"

namespace commmap::cli {

/// What make_plan() is asked, out of the option table's values.
[[nodiscard]] PlannerOptions planner_options(const Options& options);

/// What each constraint on the order costs: the best placement found under it, Slurm's own last.
/// One string per line, no line ends. Where options.deadline ended a search the row says so.
/// Cost: two more plans.
///
/// @param plan  under options.keep
[[nodiscard]] std::vector<std::string> describe_keeping(const Plan& plan, const Job& job,
                                                        const PlannerOptions& options);

}  // namespace commmap::cli
