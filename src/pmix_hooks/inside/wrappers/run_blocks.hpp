// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "pmix_hooks/inside/algorithms/ring.hpp"
#include "pmix_hooks/inside/inside.hpp"
#include "pmix_hooks/inside/wrappers/call_data.hpp"

namespace commmap::inside {

// Calls that put one block of each rank where that rank's number says.

/// What one rank sends: to all ranks, or to each of them.
struct Sent {
    const void* buffer;
    int count;
    MPI_Datatype type;
};

/// @param data  what this rank receives of each rank
template <class Native>
int run_allgather(const Sent& sent, void* receive, const Data& data, Native&& native) {
    if (receive == MPI_IN_PLACE || !may_choose(CollectiveOp::allgather, data)) return native();
    const Plan plan = inside.plan(CollectiveOp::allgather, data.bytes(), data.comm);
    if (plan.order == nullptr) return native();
    if (plan.algorithm.kind == AlgorithmKind::tuned) {
        return finished(data.comm, PMPI(Allgather)(sent.buffer, sent.count, sent.type, receive,
                                                   data.count, data.type, plan.order->comm()));
    }
    const Elements elements{data.type, data.extent_bytes()};
    auto* const blocks = static_cast<char*>(receive);
    int status = MPI_SUCCESS;
    if (sent.buffer != MPI_IN_PLACE) {
        char* const own = blocks + MPI_Aint{plan.rank} * data.count * elements.extent_bytes;
        status = copy_own(plan, sent.buffer, sent.count, sent.type, own, data);
    }
    if (status == MPI_SUCCESS) status = ring_allgather(*plan.order, blocks, data.count, elements);
    return finished(data.comm, status);
}

/// @param data  what this rank receives of each rank
template <class Native>
int run_alltoall(const Sent& sent, void* receive, const Data& data, Native&& native) {
    if (receive == MPI_IN_PLACE || sent.buffer == MPI_IN_PLACE ||
        !may_choose(CollectiveOp::alltoall, data)) {
        return native();
    }
    const Plan plan = inside.plan(CollectiveOp::alltoall, data.bytes(), data.comm);
    if (plan.order == nullptr) return native();
    return finished(data.comm, PMPI(Alltoall)(sent.buffer, sent.count, sent.type, receive,
                                              data.count, data.type, plan.order->comm()));
}

}  // namespace commmap::inside
