// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

namespace commmap::inside {

/// Sends the root's buffer to all ranks, in segments: each rank passes a segment on to the next
/// place while it receives the ones behind it. The order begins at the root's place.
/// So each port of a node carries the message once in each direction, however ranks are numbered.
/// Called by all ranks of `order`.
/// @param buffer  of num_bytes bytes: the root's are sent, the others' are overwritten
/// Errors: the MPI error code of the first message that failed.
/// Cost: num_bytes + (ranks - 2) segments at the rate of one port.
[[nodiscard]] int chain_broadcast(const OrderedComm& order, char* buffer, std::uint64_t num_bytes,
                                  int root_place, std::uint32_t segment_bytes) noexcept;

}  // namespace commmap::inside
