// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

namespace commmap::inside {

/// A buffer of elements of one type: what MPI needs to know of them.
struct Elements {
    MPI_Datatype type;
    MPI_Aint extent_bytes;  ///< from one element to the next
};

/// Gathers a block of each rank on all ranks. Blocks go round: each rank passes the block that it
/// got last on to the next place.
/// So each port of a node carries all blocks but one in each direction, however ranks are numbered.
/// Called by all ranks of `order`, whose own block stands in its place already.
/// @param blocks  one after another by rank of the other communicator, of `count` elements each
/// Errors: the MPI error code of the first message that failed.
[[nodiscard]] int ring_allgather(const OrderedComm& order, char* blocks, int count,
                                 const Elements& elements) noexcept;

/// Combines the buffers of all ranks on all ranks: a ring that combines blocks, and one that
/// gathers them.
/// Called by all ranks of `order`.
/// @param buffer  this rank's elements, overwritten with the result
/// @param count   at least one element a rank
/// @param spare   room for count / ranks + 1 elements
/// @param op      commutative
/// Errors: the MPI error code of the first message that failed.
[[nodiscard]] int ring_allreduce(const OrderedComm& order, char* buffer, int count,
                                 const Elements& elements, MPI_Op op, char* spare) noexcept;

}  // namespace commmap::inside
