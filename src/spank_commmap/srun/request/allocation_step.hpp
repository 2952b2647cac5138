// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// The step that srun in an allocation will ask for.
struct AllocationStep {
    std::vector<std::size_t> nodes;  ///< indices into JobNodes, ascending
    std::size_t num_tasks = 0;
    /// The step shares nodes with other steps (--exact, --cpus-per-task). The places of its tasks
    /// are certain only while no other step runs.
    bool beside_others = false;
};

/// Works out the number of tasks and the nodes by srun's own rules.
/// Errors: not_supported with the reason why they are not certain.
/// For a step on a part of its job, Slurm chooses nodes by the other steps there, and from 24.11 on
/// round robin. docs/admin/slurm-versions.md has the rules of each release.
[[nodiscard]] Result<AllocationStep> step_in_allocation(const SrunArgs& args,
                                                        const Environment& environment,
                                                        const JobNodes& job,
                                                        std::uint32_t cpus_per_task,
                                                        const SlurmRules& rules);

}  // namespace commmap::spank
