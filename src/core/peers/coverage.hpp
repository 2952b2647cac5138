// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/peers/peer_schedule.hpp"
#include "core/peers/priority_matrix.hpp"

namespace commmap {

/// The small messages that connections carry, by the number of connections that a rank may have.
/// The share of all small messages is the coverage of the paper's Sec. 4.5.
struct Coverage {
    /// Element K - 1 is for at most K connections of a rank. Never falls.
    std::array<std::uint64_t, most_connections> carried{};
    /// @param most  1 to most_connections
    [[nodiscard]] std::uint64_t with(std::size_t most) const { return carried[most - 1]; }
    bool operator==(const Coverage&) const = default;
};

/// Adds up what each place of a row carries. A place is the entry's position in the row.
class CoverageSum {
public:
    /// @param place  from 0; places from most_connections on carry nothing
    void add(std::size_t place, std::uint64_t messages) {
        if (place < most_connections) at_place_[place] += messages;
    }
    /// Returns the sums over the first K places.
    [[nodiscard]] Coverage coverage() const;

private:
    std::array<std::uint64_t, most_connections> at_place_{};
};

/// Coverage of the paper's rule: each phase has connections of its own, from its first message on.
/// Cost: O(ranks * phases * most_connections), as of those below.
[[nodiscard]] Coverage coverage_by_phases(const PeerSchedule& schedule);

/// Coverage of one schedule for the whole run: the peers with the most messages in all phases
/// together, from the first message on.
/// Cost: O(entries log entries of a rank).
[[nodiscard]] Coverage coverage_of_whole_run(const PriorityMatrix& matrix);

/// Coverage of a run's messages by the schedule that another run of the program gives (PRO-MPI,
/// Sec. 4.4).
/// @param matrix    the run that is looked at
/// @param schedule  of the other run, on as many ranks (asserted)
/// @param matched   for each phase of `matrix` the phase of `schedule` that stands for it; nullopt:
///                  the phase has no connections (matched_phases())
[[nodiscard]] Coverage coverage_by_other(const PriorityMatrix& matrix, const PeerSchedule& schedule,
                                         std::span<const std::optional<std::size_t>> matched);

/// What the suggested number of connections must carry, in percent of what most_connections carry.
inline constexpr unsigned suggested_percent = 95;

/// Returns the smallest number of connections that carries suggested_percent of what
/// most_connections carry; 1 where nothing is carried.
/// Differs from the paper: the paper's analyser finds maxRDMA too, and does not say how.
[[nodiscard]] std::size_t suggested_connections(const Coverage& by_phases);

}  // namespace commmap
