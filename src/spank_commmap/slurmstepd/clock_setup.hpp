#pragma once

#include <slurm/spank.h>

#include <string>

#include "spank_commmap/slurmstepd/container_check.hpp"
#include "spank_commmap/slurmstepd/step_option.hpp"

namespace commmap::spank {

/// Sets rank 0's task up so that it leaves its time from MPI_Init to MPI_Finalize in a file
/// (history=mpi). Without the clock's library the run is one by the step's clock.
/// @param path  of that file, as srun says; empty: no time is wanted of this step
void set_up_clock(spank_t spank, const StepOption::Arguments& plugstack,
                  const ContainerCheck& containers, const std::string& path);

/// Takes away what a step, or a job, has of the step that it was started in.
void forget_clock(spank_t spank);

}  // namespace commmap::spank
