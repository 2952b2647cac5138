// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>

namespace commmap::spank {

/// Variable that marks the process of a srun that was started again: see Relaunch in
/// srun/relaunch/reexec.hpp.
inline constexpr const char* relaunch_variable = "COMMMAP_RELAUNCH";

/// Variable that tells slurmstepd that srun made the job itself. Its tasks then get none of
/// variables_of_job.
inline constexpr const char* own_job_variable = "SLURM_COMMMAP_OWN_JOB";

/// Variables that tasks see only in a step of an existing job: how their order came about, and
/// (22.05) the CPUs of the nodes once more.
inline constexpr std::array variables_of_job = {"SLURM_DISTRIBUTION",
                                                "SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0",
                                                "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_0"};

}  // namespace commmap::spank
