#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/job_arguments.hpp"
#include "commmap/result.hpp"
#include "core/plan/planner.hpp"

namespace commmap::cli {

/// What --commmap=auto,report=FILE writes: one JSON object, keys in a fixed order
/// (docs/user/launch.md has them).
using LaunchReport = nlohmann::ordered_json;

/// The part that a plan decides.
[[nodiscard]] LaunchReport report_of_plan(const Plan& plan, const Scenario& scenario,
                                          double threshold_percent);
/// The part of a launch that is left alone.
[[nodiscard]] LaunchReport report_of_decline(const std::string& reason);

/// A plan that is not applied: every rank stays where Slurm puts it.
void note_default(LaunchReport& report, const std::string& reason);

/// What was asked for: program, ranks, nodes.
[[nodiscard]] LaunchReport report_of_job(const JobArguments& job);

/// One line ends the text. What JSON cannot hold (a path that is no UTF-8) is replaced.
[[nodiscard]] std::string report_text(const LaunchReport& report);
/// Errors: those of read_file; invalid_input when it is no report of ours.
[[nodiscard]] Result<LaunchReport> read_report(const std::string& path);

/// Where one rank is to be. `cpu_set_index`: see cpu_set_of_rank(); -1: its CPUs are Slurm's
/// choice.
struct PlannedRank {
    std::string by_slurm;
    std::string node;
    std::int64_t cpu_set_index = -1;
    std::string launched;  ///< where it was started; empty: not known
};

/// By rank; empty for a launch that was left alone. invalid_input when the report holds nonsense.
[[nodiscard]] Result<std::vector<PlannedRank>> planned_ranks(const LaunchReport& report);

/// Notes the layout that Slurm made: job, step, the node of each rank, whether that is the planned
/// one. Errors: as planned_ranks.
[[nodiscard]] Status note_launch(LaunchReport& report, const std::string& step,
                                 const std::vector<std::string>& node_of_rank);

}  // namespace commmap::cli
