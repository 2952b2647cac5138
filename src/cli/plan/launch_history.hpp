// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/job_arguments.hpp"
#include "core/config/options.hpp"
#include "core/history/record/planned_run.hpp"
#include "core/plan/gain.hpp"

namespace commmap::cli {

/// Facts from earlier runs for a launch.
struct LaunchHistory {
    std::string application_id;           ///< empty: runs of this launch are not compared
    std::string program;                  ///< name to show to people
    std::uint64_t basis = 0;              ///< basis of the placement: see docs/glossary.md
    std::string learnt;                   ///< part of the plan's question; empty: nothing
    double error = 0.0;                   ///< relative error of predictions; 0: not known
    std::optional<PastGains> past_gains;  ///< none: nothing was learnt, or the plan has lost
    std::string reversal;                 ///< why Slurm's own placement is back; empty: it is not
    std::vector<std::string> lines;       ///< for a user with verbose
    std::vector<std::string> notes;       ///< for every user
};

/// Merges the records that launches left, and reads the history of this launch.
/// Fails no launch: a history that cannot be read counts as empty, with a note.
/// @param choice  of the launch
/// Cost: the profile and the cluster YAML are hashed, and a history is read: a millisecond at most.
[[nodiscard]] LaunchHistory history_of_launch(const JobArguments& job, const Options& options,
                                              const ProfileChoice& choice);

/// Returns the text that srun keeps until it knows how long a launch took. Empty: nothing is kept.
/// With decision keep, placement and both predictions are those of Slurm's own.
[[nodiscard]] std::string planned_run_text(const LaunchHistory& history, LaunchedAs launched_as,
                                           const std::string& placement, double predicted_s,
                                           double default_s);

/// Turns an answer that applies a plan into one that keeps Slurm's own placement, with that reason.
/// Other answers stay as they are.
[[nodiscard]] std::string as_default(const std::string& answer, LaunchedAs launched_as,
                                     const std::string& reason);

}  // namespace commmap::cli
