// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/result.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"

namespace commmap::spank {

// These functions read the variable COMMMAP of a srun, beside the option --commmap. A wrong value
// counts as no value.

/// Returns whether COMMMAP decides although the option has a value.
/// srun's own --commmap counts most, then COMMMAP, then the value that salloc or sbatch hand on as
/// the option's.
/// The tasks get the option too, so srun tells them when COMMMAP decides (mode_variable).
[[nodiscard]] bool variable_wins(const Result<SrunArgs>& args);

/// Returns whether COMMMAP says off.
[[nodiscard]] bool variable_says_off();

}  // namespace commmap::spank
