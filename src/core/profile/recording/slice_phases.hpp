#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/recording/rank_record.hpp"

namespace commmap {

/// Finds the phases of a run from its time slices: of each slice the number of its phase, in order
/// of time from 0 on.
///
/// A slice's pattern is what every rank sent to whom in which size bucket and which collectives it
/// called, each weighted by its bytes and 1 KiB a message or call, as a share of the slice's sum.
/// How far two patterns are apart is one minus what they have in common: the sum of the smaller of
/// both shares. In order of time each slice joins the phase (the sum of its slices) that is
/// nearest, up to 0.25 away, and else begins one, up to sixteen. A slice between slices of
/// two other phases, three quarters of which is in the one or the other, is where one goes over to
/// the other: it joins the nearer; so does the last slice, in which not every rank is still there,
/// when three quarters of what each rank did are in another phase. A slice without messages belongs
/// to the phase before it.
///
/// @param records    by rank; all of the same slice_s > 0
/// Cost: O(cells * phases).
[[nodiscard]] std::vector<std::uint32_t> phases_of_slices(const std::vector<RankRecord>& records);

}  // namespace commmap
