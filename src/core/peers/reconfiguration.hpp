// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/peers/peer_schedule.hpp"
#include "core/peers/phase_order.hpp"

namespace commmap {

/// What becomes of connections where a phase follows another one. In the paper's states:
/// - a closed connection goes from CONNECTED over QUIESCE, where it takes no new message and its
///   pending messages end, to DISCONNECTED;
/// - a made connection goes from DISCONNECTED to CONNECTED;
/// - a kept connection is there in both phases. It stays CONNECTED where only what differs is
///   changed. In the paper it is closed and made like the others.
struct BorderChanges {
    std::vector<Connection> closed;  ///< sorted
    std::vector<Connection> made;    ///< sorted
    std::uint64_t kept = 0;
};

/// Compares the connections of two phases.
/// @param before  the phase that ends; nullopt: the run begins, and nothing is connected
/// @param most    maxRDMA: 1 to most_connections
/// Cost: O(ranks * most log most).
/// Source: Gorentla Venkata, Bridges, Widener, Sec. 3.2 and Fig. 2.
[[nodiscard]] BorderChanges changes_at_border(const PeerSchedule& schedule,
                                              std::optional<std::size_t> before, std::size_t after,
                                              std::size_t most);

/// Numbers of connections at one border.
struct Border {
    std::optional<std::size_t> before;  ///< phase; nullopt: the run begins
    std::size_t after = 0;              ///< phase
    std::uint64_t closed = 0;
    std::uint64_t made = 0;
    std::uint64_t kept = 0;
    std::uint64_t most_made = 0;    ///< made by one rank
    std::uint64_t most_remade = 0;  ///< made by one rank where kept ones are made again
};

/// Connections that are made during a run.
struct Reconfiguration {
    /// A border for each element of PhaseOrder::sequence.
    std::vector<Border> borders;
    /// Connections made in the run when every begin of a phase makes all of its connections, as in
    /// the paper; 2^64 - 1 for more.
    std::uint64_t remade = 0;
    /// Connections made when only what differs is changed, at the borders of this list. Where the
    /// order of phases is not known the run makes at least so many, and at most `remade`.
    std::uint64_t changed = 0;
};

/// Counts the connections that a schedule has a run make. What each of them costs has to be
/// amortised by the messages that it carries (PRO-MPI, Sec. 4.5).
/// @param order  of the schedule's phases
/// @param most   maxRDMA: 1 to most_connections
/// Cost: O(borders * ranks * most log most).
[[nodiscard]] Reconfiguration reconfiguration(const PeerSchedule& schedule, const PhaseOrder& order,
                                              std::size_t most);

}  // namespace commmap
