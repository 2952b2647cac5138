// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "core/peers/priority_matrix.hpp"

namespace commmap {

/// The most connections of a rank that are looked at: Open MPI's btl_openib_max_eager_rdma.
inline constexpr std::size_t most_connections = 16;

/// Returns of each row the entries with the most messages, at most most_connections. The entry with
/// the most messages is first, and of entries with as many the lower peer.
/// Cost: O(entries log most_connections).
[[nodiscard]] PriorityRows ranked(const PriorityRows& rows);

/// A connection, which carries messages of one direction.
struct Connection {
    RankId sender = 0;
    RankId receiver = 0;
    auto operator<=>(const Connection&) const = default;
};

/// The peers to which each rank has a connection in each phase: those with the highest priority.
///
/// The schedule lists most_connections peers of a rank in the order of their priority. The first of
/// them are the schedule for fewer connections.
/// A connection counts for its sender alone. A rank may be the receiver of any number of them
/// (most_into_a_rank()).
/// Immutable and thread-safe once made.
///
/// Cost of making: O(entries log most_connections).
/// Memory: 16 bytes a connection, 8 a rank and phase.
/// Source: Gorentla Venkata, Bridges, Widener, Sec. 3.2. The initiator p gets a connection to q
/// while "the current number of RDMA connections p is less than maxRDMA".
/// Differs from the paper: the paper does not say whether a connection counts for q, nor which of
/// two equal priorities wins. Here it counts for the sender p alone, and the lower rank wins. A
/// peer to which nothing small is sent gets no connection, even where one is free.
class PeerSchedule {
public:
    explicit PeerSchedule(const PriorityMatrix& matrix);

    [[nodiscard]] std::size_t num_ranks() const { return num_ranks_; }
    [[nodiscard]] std::size_t num_phases() const { return phases_.size(); }
    /// Returns the scheduled peers of a rank in a phase with their messages, the highest priority
    /// first.
    /// @param most  maxRDMA: 1 to most_connections
    [[nodiscard]] std::span<const Priority> peers(std::size_t phase, RankId rank,
                                                  std::size_t most) const&;
    std::span<const Priority> peers(std::size_t phase, RankId rank,
                                    std::size_t most) const&& = delete;
    /// Tells whether a rank has a connection to a peer in a phase.
    /// Cost: O(most).
    [[nodiscard]] bool connects(std::size_t phase, Connection connection, std::size_t most) const;
    /// Returns the rows of a phase, as ranked() makes them.
    [[nodiscard]] const PriorityRows& phase(std::size_t phase) const { return phases_[phase]; }

private:
    std::size_t num_ranks_ = 0;
    std::vector<PriorityRows> phases_;
};

/// What a schedule has in one phase.
struct PhaseConnections {
    std::uint64_t connections = 0;
    std::uint64_t messages = 0;          ///< small messages that these connections carry
    std::uint64_t most_of_a_rank = 0;    ///< the most connections with one sender
    std::uint64_t most_into_a_rank = 0;  ///< the most connections with one receiver
};
/// @param most  maxRDMA: 1 to most_connections
/// Cost: O(ranks + connections).
[[nodiscard]] PhaseConnections connections_in(const PeerSchedule& schedule, std::size_t phase,
                                              std::size_t most);

}  // namespace commmap
