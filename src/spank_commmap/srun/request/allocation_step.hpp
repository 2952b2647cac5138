#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/config/sources.hpp"
#include "spank_commmap/slurm/slurm_rules.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"

namespace commmap::spank {

/// A job's nodes and the CPUs that it has on each, in the same order.
struct JobNodes {
    std::vector<std::string> names;
    std::vector<std::uint32_t> cpus;
};

/// What srun in an allocation will ask for.
struct AllocationStep {
    std::vector<std::size_t> nodes;  ///< indices into JobNodes, ascending
    std::size_t num_tasks = 0;
    /// The step shares nodes with other steps (--exact, --cpus-per-task): where its tasks go is
    /// certain only while no other step runs.
    bool beside_others = false;
};

/// Works out number of tasks and nodes by srun's own rules, or says why they are not certain
/// (not_supported): Slurm picks the nodes of a step that is on a part of its job by what else runs
/// there, and from 24.11 on round robin. The rules of each release: docs/admin/slurm-versions.md.
[[nodiscard]] Result<AllocationStep> step_in_allocation(const SrunArgs& args,
                                                        const Environment& environment,
                                                        const JobNodes& job,
                                                        std::uint32_t cpus_per_task,
                                                        const SlurmRules& rules);

}  // namespace commmap::spank
