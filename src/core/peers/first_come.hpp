// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/peers/coverage.hpp"
#include "core/peers/priority_matrix.hpp"

namespace commmap {

/// The messages to a peer after which the peer may get a connection: Open MPI's
/// btl_openib_eager_rdma_threshold.
inline constexpr std::uint64_t default_threshold = 16;

/// What first come, first served carries.
struct FirstCome {
    /// The messages of a phase are evenly interleaved: message m of the n to a peer goes at m / n
    /// of the phase. Phases follow each other in the order of the matrix.
    Coverage interleaved;
    /// The messages of the run come in the order in which the connections carry least, whatever
    /// phase they are of. No order carries less.
    Coverage worst;
};

/// Coverage of Open MPI's rule. A peer gets a connection at the message that is number `threshold`
/// between both, while the row's rank has less than K. A connection is never given back. It
/// carries the messages behind that one.
///
/// A profile has no order of messages inside of a phase, hence the assumption. With it the peer
/// with the most messages in a phase is the first there. Of two at the same time the lower peer is
/// first.
///
/// The rank of a row is the one whose connections are limited. With a row for each sender, first
/// come is compared with a schedule under the same limit. With by_receiver() first come is Open
/// MPI's own.
///
/// @param threshold  > 0
/// Cost: O(entries log entries of a rank).
/// Source: Open MPI 1.3 to 4.1, btl_openib_component.c, handle_wc(), which counts what a process
/// has received, and the receiver's connections.
/// Differs from Open MPI: messages inside of a node and one-sided operations count here. What Open
/// MPI itself sends does not, such as the first parts of large messages. The limit of small
/// messages is that of a size bucket. Open MPI has a limit of connections for each port.
[[nodiscard]] FirstCome first_come(const PriorityMatrix& matrix,
                                   std::uint64_t threshold = default_threshold);

}  // namespace commmap
