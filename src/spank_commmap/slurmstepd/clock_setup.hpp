// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <string>

#include "spank_commmap/slurmstepd/preload/container_check.hpp"
#include "spank_commmap/slurmstepd/step_option.hpp"

namespace commmap::spank {

/// Sets up rank 0's task to leave its time from MPI_Init to MPI_Finalize in a file (history=mpi).
/// If the clock's library is missing, the run is timed by the step's clock.
/// @param path  of that file, as srun says; empty: srun wants no time of this step
void set_up_clock(spank_t spank, const StepOption::Arguments& plugstack,
                  const ContainerCheck& containers, const std::string& path);

/// Removes the clock that a step has from the step in which it was started.
void forget_clock(spank_t spank);

}  // namespace commmap::spank
