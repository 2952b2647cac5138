#pragma once

#include <slurm/spank.h>

#include "core/config/options.hpp"
#include "spank_commmap/slurmstepd/container_check.hpp"
#include "spank_commmap/slurmstepd/record_collection.hpp"

namespace commmap::spank {

/// In a task, as the user: puts the recorder before the task's program when the program can be
/// recorded. Otherwise one task of the step says why not.
/// @param options  StepOption::of_task(), in profile mode
void set_up_recorder(spank_t spank, const Options& options, const ContainerCheck& containers,
                     RecordCollection& records);

/// Takes away what a step inside a recorded step has of the recorder, when the step itself is not
/// to be recorded.
void forget_recorder(spank_t spank);

}  // namespace commmap::spank
