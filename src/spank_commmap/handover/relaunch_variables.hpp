#pragma once

#include <array>

namespace commmap::spank {

/// Marks the process of a srun that was started again: see Relaunch in srun/relaunch/reexec.hpp.
inline constexpr const char* relaunch_variable = "COMMMAP_RELAUNCH";

/// Tells slurmstepd that srun made the job itself: its tasks then have none of variables_of_job.
inline constexpr const char* own_job_variable = "SLURM_COMMMAP_OWN_JOB";

/// What tasks see in a step of an existing job only: how their order came about, and (22.05) the
/// CPUs of the nodes once more.
inline constexpr std::array variables_of_job = {"SLURM_DISTRIBUTION",
                                                "SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0",
                                                "SLURM_JOB_CPUS_PER_NODE_HET_GROUP_0"};

}  // namespace commmap::spank
