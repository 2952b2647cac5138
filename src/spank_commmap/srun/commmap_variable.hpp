#pragma once

#include "commmap/result.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"

namespace commmap::spank {

// The variable COMMMAP of a srun, beside the option --commmap. A value that makes no sense counts
// as none.

/// Whether COMMMAP decides although the option has a value. srun's own --commmap counts most, then
/// COMMMAP, then what salloc or sbatch hand on as the option's value. The tasks, which get the
/// option too, are told of COMMMAP then (mode_variable).
[[nodiscard]] bool variable_wins(const Result<SrunArgs>& args);

/// COMMMAP says off.
[[nodiscard]] bool variable_says_off();

}  // namespace commmap::spank
