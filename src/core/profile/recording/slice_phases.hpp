// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/recording/rank_record.hpp"

namespace commmap {

/// Finds the phases of a run from its time slices, by comparing the communication patterns of the
/// slices.
///
/// A slice's pattern is a list of shares. It has one entry for each size bucket of messages from
/// one rank to another, and for each kind of collective call. An entry weighs its bytes and 1 KiB
/// for each message or call, as a share of the slice's sum. The distance of two patterns is one
/// minus the sum, over all entries, of the smaller of the two shares.
///
/// Slices are looked at in the order of time:
/// - A slice joins the nearest phase (the sum of its slices) when that is at most 0.25 away. Else
///   it begins a new phase, up to sixteen.
/// - A slice between slices of two other phases may be the transition from one to the other. When
///   three quarters of it are in one or the other phase, it joins the nearer one.
/// - So does the last slice, in which some ranks have ended already, when three quarters of what
///   each rank did are in another phase.
/// - A slice without messages belongs to the phase before it.
///
/// @param records  by rank; all with the same slice_s > 0
/// @return         for each slice in order of time, the number of its phase, from 0 on
/// Cost: O(cells * phases).
[[nodiscard]] std::vector<std::uint32_t> phases_of_slices(const std::vector<RankRecord>& records);

}  // namespace commmap
