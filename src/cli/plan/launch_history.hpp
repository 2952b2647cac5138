#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/job_arguments.hpp"
#include "core/config/options.hpp"
#include "core/history/planned_run.hpp"

namespace commmap::cli {

/// What earlier runs say about a launch.
struct LaunchHistory {
    std::string application_id;      ///< empty: runs of this launch are not compared
    std::string program;             ///< for people
    std::uint64_t basis = 0;         ///< what its placement is planned from
    std::string learnt;              ///< part of the plan's question; empty: nothing
    double error = 0.0;              ///< of predictions, relative; 0: not known
    std::string reversal;            ///< why Slurm's own placement is back; empty: it is not
    std::vector<std::string> lines;  ///< for a user who wants to know
    std::vector<std::string> notes;  ///< for every user
};

/// Merges what launches left, and reads the history of this one. Nothing here fails a launch: what
/// cannot be read says nothing, with a note.
/// @param choice  of the launch
/// Cost: the profile and the cluster YAML are hashed; a history is read, a millisecond at most.
[[nodiscard]] LaunchHistory history_of_launch(const JobArguments& job, const Options& options,
                                              const ProfileChoice& choice);

/// What srun keeps of a launch until it knows how long it took. With decision keep, placement and
/// both predictions are those of Slurm's own. Empty: nothing is kept.
[[nodiscard]] std::string planned_run_text(const LaunchHistory& history, LaunchedAs launched_as,
                                           const std::string& placement, double predicted_s,
                                           double default_s);

/// An answer that applies a plan, as one that keeps Slurm's own placement, for that reason. Other
/// answers stay as they are.
[[nodiscard]] std::string as_default(const std::string& answer, LaunchedAs launched_as,
                                     const std::string& reason);

}  // namespace commmap::cli
