#pragma once

#include <vector>

#include "core/profile/profile.hpp"

namespace commmap {

/// Several runs of one program on one number of ranks as one profile: the mean of each number, a
/// run that is a mean itself weighing as much as it has runs. Whole numbers are rounded to the
/// nearest; what happened in one run at least is never rounded to nothing.
///
/// Phases that the program names are matched by their names; phases that were found from time
/// slices by their place, where all runs have as many; else the whole run is one phase. What is of
/// one run only (nodes, CPUs, programs, time, job, when phases were) is the first's. Partial where
/// one is.
///
/// @pre not empty; all with the same application_id and number of ranks. The last run first.
/// Cost: O(cells log runs + members log communicators).
[[nodiscard]] Profile merge_runs(std::vector<Profile> runs);

}  // namespace commmap
