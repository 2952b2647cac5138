// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/job_arguments.hpp"
#include "commmap/result.hpp"
#include "core/inside/choose_rules.hpp"
#include "core/plan/planner.hpp"

namespace commmap::cli {

/// The launch report of --commmap=auto,report=FILE: one JSON object with keys in a fixed order
/// (docs/user/launch.md has them).
using LaunchReport = nlohmann::ordered_json;

/// Returns the part that a plan decides.
[[nodiscard]] LaunchReport report_of_plan(const Plan& plan, const Scenario& scenario,
                                          double threshold_percent);
/// Returns the list of rules for collectives inside the tasks.
[[nodiscard]] LaunchReport report_of_rules(const std::vector<inside::ChosenRule>& rules);
/// Returns the part of a launch that is left alone.
[[nodiscard]] LaunchReport report_of_decline(const std::string& reason);

/// Notes that a plan is not applied: every rank stays where Slurm puts it.
void note_default(LaunchReport& report, const std::string& reason);

/// Returns the part with the question: program, ranks, nodes.
[[nodiscard]] LaunchReport report_of_job(const JobArguments& job);

/// Returns the report as a text that ends with one line end. Bytes that JSON cannot hold (a path
/// that is no UTF-8) are replaced.
[[nodiscard]] std::string report_text(const LaunchReport& report);
/// Reads a report.
/// Errors: those of read_file; invalid_input when the file is no report of ours.
[[nodiscard]] Result<LaunchReport> read_report(const std::string& path);

/// Planned place of one rank. `cpu_set_index`: see cpu_set_of_rank(); -1: Slurm chooses its CPUs.
struct PlannedRank {
    std::string by_slurm;
    std::string node;
    std::int64_t cpu_set_index = -1;
    std::string launched;  ///< node where it was started; empty: not known
};

/// Returns the planned places by rank; empty for a launch that was left alone.
/// Errors: invalid_input when the report holds nonsense.
[[nodiscard]] Result<std::vector<PlannedRank>> planned_ranks(const LaunchReport& report);

/// Notes the layout that Slurm made: job, step, the node of each rank, and whether this is the
/// planned layout.
/// Errors: as planned_ranks.
[[nodiscard]] Status note_launch(LaunchReport& report, const std::string& step,
                                 const std::vector<std::string>& node_of_rank);

}  // namespace commmap::cli
