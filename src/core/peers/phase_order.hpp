// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/profile/profile.hpp"

namespace commmap {

/// How often the phases of a run begin, and in which order. Each begin is a reconfiguration point
/// of PRO-MPI, where a call says that a phase begins.
struct PhaseOrder {
    /// Phases in the order in which they begin. Where the order is not known each phase is there
    /// once, in the order in which they began first.
    std::vector<std::size_t> sequence;
    std::vector<std::uint64_t> begins;  ///< by phase, > 0
    bool is_known = false;              ///< `sequence` has every begin
};

/// Finds the order of a profile's phases:
/// - of phases that were found from time slices, by their times;
/// - of other phases, if none begins a second time.
/// A phase that goes on when a phase inside of it ends does not begin again.
/// Cost: O(phases + times log times).
[[nodiscard]] PhaseOrder order_of(const Profile& profile);

/// The order of a single phase that stands for the whole run.
[[nodiscard]] PhaseOrder order_of_one_phase();

/// Matches the phases of a profile with those of another profile of the same program. A phase
/// matches the phase of its name, if both profiles have the name once. Else it matches the phase at
/// its position, unless that has been matched by its name.
/// @return  for each of `phases` the index of its match; nullopt: it has none
/// Cost: O(phases * others).
/// Source: Gorentla Venkata, Bridges, Widener, Sec. 4.4, which has as many phases (time steps) in
/// both runs.
[[nodiscard]] std::vector<std::optional<std::size_t>> matched_phases(std::span<const Phase> phases,
                                                                     std::span<const Phase> others);

}  // namespace commmap
