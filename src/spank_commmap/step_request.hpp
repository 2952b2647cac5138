#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/srun_args.hpp"

namespace commmap::spank {

/// What one srun inside an allocation is about to launch, as far as it is certain.
struct StepRequest {
    std::size_t num_tasks = 0;
    std::string command;             ///< as the user wrote it
    std::string directory;           ///< --chdir, else empty
    std::string nodelist;            ///< SLURM_JOB_NODELIST
    std::vector<std::string> nodes;  ///< the same, expanded
    std::string cpus_per_node;       ///< SLURM_JOB_CPUS_PER_NODE
    std::string mpi;                 ///< --mpi or SLURM_MPI_TYPE; empty: the cluster's default
    bool bind = true;                ///< false: the user said how CPUs are bound
};

/// Reads the request from the command line and the environment, or says in a few words why the
/// launch must be left alone (the text goes before "; launching as without commmap"). An empty
/// reason: nothing to do, nothing to say. The answer does not depend on the order of the options.
struct StepDecision {
    std::optional<StepRequest> request;
    std::string reason;
};
[[nodiscard]] StepDecision read_step_request(const SrunArgs& args, const Environment& environment);

/// This srun was started by a task of a step (not by a batch script or an interactive shell): it
/// shares the step's CPUs, and its environment describes the step rather than the job.
[[nodiscard]] bool inside_a_step(const Environment& environment);

/// Where the command is, as the task would find it: with a slash, in `directory`; else along
/// `search_path`. Absolute; not_found when it is not an executable file here.
[[nodiscard]] Result<std::string> locate_command(const std::string& command,
                                                 const std::string& directory,
                                                 const std::string& search_path);

}  // namespace commmap::spank
