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

/// What one srun is about to launch, as far as it is certain.
struct StepRequest {
    std::size_t num_tasks = 0;
    std::vector<std::string> words;  ///< planned_words
    std::string directory;           ///< --chdir, else empty
    std::string nodelist;            ///< the step's nodes, in the order of cpus_per_node
    std::vector<std::string> nodes;  ///< the same, expanded
    std::string cpus_per_node;       ///< SLURM_JOB_CPUS_PER_NODE
    std::string mpi;                 ///< --mpi or SLURM_MPI_TYPE; empty: the cluster's default
    std::uint32_t cpus_per_task = 1;
    std::string
        layout;  ///< node of each rank as Slurm has it, in runs; empty: block over all nodes
    bool beside_others = false;   ///< certain only while no other step of the job runs
    std::string binding_left_to;  ///< why CPUs are bound as without commmap; empty: commmap binds
};

/// Reads the request from the command line and the environment, or says in a few words why the
/// launch must be left alone (the text goes before "; launching as without commmap"). An empty
/// reason: nothing to do, nothing to say. The answer does not depend on the order of the options.
struct StepDecision {
    std::optional<StepRequest> request;
    std::string reason;
    /// Only the order is left alone: once the step exists its CPUs may be planned
    /// (request_of_layout).
    bool order_only = false;
};
/// For an srun in an allocation.
[[nodiscard]] StepDecision read_step_request(const SrunArgs& args, const Environment& environment,
                                             const SlurmRules& rules);
/// For an srun whose step exists, with `layout`.
[[nodiscard]] StepDecision request_of_layout(const SrunArgs& args, const Environment& environment,
                                             const StepLayout& layout, const SlurmRules& rules);

/// False for --help, --test-only and the like.
[[nodiscard]] bool launches(const SrunArgs& args);

/// This srun was started by a task of a step (not by a batch script or an interactive shell): it
/// shares the step's CPUs, and its environment describes the step rather than the job.
[[nodiscard]] bool inside_a_step(const Environment& environment);

/// The words of the command whose profile counts: all, or what `commmap where --command` names.
/// @pre not empty
[[nodiscard]] std::vector<std::string> planned_words(const std::vector<std::string>& command);

/// A command as `commmap` is asked about it.
struct LocatedCommand {
    std::string path;       ///< absolute, of find_executable()
    std::string directory;  ///< in which it starts; absolute
    std::vector<std::string> words;

    /// The arguments of a question, with --command and --chdir, and behind "--" what the command's
    /// first words are: an interpreter's script is among them, or the program behind numactl.
    [[nodiscard]] std::vector<std::string> asked_about(std::vector<std::string> question) const;
};
/// @param words  planned_words()
/// @param chdir  of srun; may be empty or relative to `here`
/// Errors: not_found when there is no such executable file on this machine.
[[nodiscard]] Result<LocatedCommand> locate(std::vector<std::string> words,
                                            const std::string& chdir, const std::string& here,
                                            const std::string& search_path);

}  // namespace commmap::spank
