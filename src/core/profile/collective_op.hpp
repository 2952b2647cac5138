// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap {

/// Collective operations as the recorder counts them. Names are those of the MPI standard;
/// nonblocking and persistent forms count under the blocking one's name.
enum class CollectiveOp : std::uint8_t {
    barrier,
    bcast,
    reduce,
    allreduce,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce_scatter,
    scan,
    exscan,
    neighbor_allgather,
    neighbor_alltoall,
    count_
};
[[nodiscard]] const char* collective_name(CollectiveOp op);

}  // namespace commmap
