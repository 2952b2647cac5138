// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <string>

#include "spank_commmap/slurmstepd/preload/container_check.hpp"
#include "spank_commmap/slurmstepd/step_option.hpp"

namespace commmap::spank {

/// Preloads the library that runs collective calls by other algorithms into the task's program,
/// with the rules that srun hands over. Where the program cannot take that library, all calls stay
/// native, and one task says so with verbose.
/// Runs in the task, as the user.
/// @param value  of inside_variable; empty: srun hands nothing over
void set_up_inside(spank_t spank, const StepOption::Arguments& plugstack,
                   const ContainerCheck& containers, const std::string& value);

/// Removes what set_up_inside() has set for the task that this step or job was started from.
void forget_inside(spank_t spank);

}  // namespace commmap::spank
