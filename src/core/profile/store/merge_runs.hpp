// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "core/profile/profile.hpp"

namespace commmap {

/// Joins several runs of one program on one number of ranks to one profile: the mean of each
/// number. A run that is a mean itself weighs as much as it has runs. Whole numbers are rounded to
/// the nearest. A count that is not 0 in every run never becomes 0.
///
/// - Phases with names are matched by name. Phases from time slices are matched by position when
///   all runs have the same number, else the whole run is one phase.
/// - What belongs to one run is taken from the first in the list: nodes, CPUs, programs, time, job,
///   and when phases were.
/// - The result is partial when one of the runs is.
///
/// @param runs  the last run first
/// @pre not empty; all with the same application_id and number of ranks
/// Cost: O(cells log runs + members log communicators).
[[nodiscard]] Profile merge_runs(std::vector<Profile> runs);

}  // namespace commmap
