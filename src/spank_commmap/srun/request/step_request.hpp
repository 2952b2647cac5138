// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/slurm/slurm.hpp"
#include "spank_commmap/slurm/slurm_rules.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"

namespace commmap::spank {

/// The step that one srun is about to launch, as far as it is certain.
struct StepRequest {
    std::size_t num_tasks = 0;
    std::vector<std::string> words;  ///< planned_words
    std::string directory;           ///< --chdir, else empty
    std::string nodelist;            ///< the step's nodes, in the order of cpus_per_node
    std::vector<std::string> nodes;  ///< the same nodes, expanded
    std::string cpus_per_node;       ///< SLURM_JOB_CPUS_PER_NODE
    std::string mpi;                 ///< --mpi or SLURM_MPI_TYPE; empty: the cluster's default
    std::uint32_t cpus_per_task = 1;
    /// Node of each rank as Slurm has it, in runs; empty: block over all nodes.
    std::string layout;
    bool beside_others = false;   ///< certain only while no other step of the job runs
    std::string binding_left_to;  ///< why Slurm binds as without commmap; empty: commmap binds
};

/// A request, read from the command line and the environment, or the reason why the launch must be
/// left alone.
/// The reason is a few words that stand before "; launching as without commmap". An empty reason:
/// there is nothing to do and nothing to say.
/// The decision does not depend on the order of the options.
struct StepDecision {
    std::optional<StepRequest> request;
    std::string reason;
    /// Only the order is left alone. Once the step exists, its CPUs may be planned
    /// (request_of_layout).
    bool order_only = false;
};
/// Reads the request of a srun in an allocation.
[[nodiscard]] StepDecision read_step_request(const SrunArgs& args, const Environment& environment,
                                             const SlurmRules& rules);
/// Reads the request of a srun whose step exists, with `layout`.
[[nodiscard]] StepDecision request_of_layout(const SrunArgs& args, const Environment& environment,
                                             const StepLayout& layout, const SlurmRules& rules);

/// Returns whether srun launches tasks; false for --help, --test-only and the like.
[[nodiscard]] bool launches(const SrunArgs& args);

/// Returns whether a task of a step started this srun (not a batch script or an interactive shell).
/// Such a srun shares the step's CPUs, and its environment describes the step rather than the job.
[[nodiscard]] bool inside_a_step(const Environment& environment);

/// Returns the words of the command whose profile counts: all words, or those that `commmap where
/// --command` names.
/// @pre not empty
[[nodiscard]] std::vector<std::string> planned_words(const std::vector<std::string>& command);

/// A command, in the form in which `commmap` is asked about it.
struct LocatedCommand {
    std::string path;       ///< absolute, from find_executable()
    std::string directory;  ///< directory in which the command starts; absolute
    std::vector<std::string> words;

    /// Returns the arguments of a question, with --command and --chdir, and behind "--" the first
    /// words of the command.
    /// An interpreter's script is among these words, or the program behind numactl.
    [[nodiscard]] std::vector<std::string> asked_about(std::vector<std::string> question) const;
};
/// Finds the executable of a command.
/// @param words  planned_words()
/// @param chdir  of srun; may be empty or relative to `here`
/// Errors: not_found when there is no such executable file on this machine.
[[nodiscard]] Result<LocatedCommand> locate(std::vector<std::string> words,
                                            const std::string& chdir, const std::string& here,
                                            const std::string& search_path);

}  // namespace commmap::spank
