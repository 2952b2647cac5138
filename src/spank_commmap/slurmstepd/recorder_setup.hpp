// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include "core/config/options.hpp"
#include "spank_commmap/slurmstepd/preload/container_check.hpp"
#include "spank_commmap/slurmstepd/record_collection.hpp"

namespace commmap::spank {

/// Preloads the recorder into the task's program if that program can be recorded. Otherwise one
/// task of the step says why not.
/// Runs in the task, as the user.
/// @param options  StepOption::of_task(), in profile mode
void set_up_recorder(spank_t spank, const Options& options, const ContainerCheck& containers,
                     RecordCollection& records);

/// Removes the outer step's recorder from a step that runs inside a recorded step and is not to be
/// recorded itself.
void forget_recorder(spank_t spank);

}  // namespace commmap::spank
