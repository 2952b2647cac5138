// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "pmix_hooks/inside/algorithms/ring.hpp"
#include "pmix_hooks/inside/communicators/end_program.hpp"
#include "pmix_hooks/inside/inside.hpp"
#include "pmix_hooks/inside/wrappers/call_data.hpp"

namespace commmap::inside {

/// Whether a reduction may run by another algorithm. All members have the same count, type and
/// operation: MPI asks for that. Other algorithms combine the ranks' data in any order.
inline bool may_choose_reduction(CollectiveOp which, const Data& data, MPI_Op op) noexcept {
    int commutes = 0;
    return may_choose(which, data) && data.is_named() && op != hooks::op_null() &&
           PMPI(Op_commutative)(op, &commutes) == MPI_SUCCESS && commutes != 0;
}

/// Combines by a ring, whose blocks have one element or more.
inline int allreduce_by_ring(const Plan& plan, const void* send, void* receive, const Data& data,
                             MPI_Op op) noexcept {
    const Elements elements{data.type, data.extent_bytes()};
    const auto spare_bytes = static_cast<std::size_t>(data.count / plan.order->size() + 1) *
                             static_cast<std::size_t>(std::max<MPI_Aint>(elements.extent_bytes, 1));
    const std::unique_ptr<char[]> spare(new (std::nothrow) char[spare_bytes]);
    if (spare == nullptr) end_program(data.comm);
    if (send != MPI_IN_PLACE) {
        const int status = copy_own(plan, send, data.count, data.type, receive, data);
        if (status != MPI_SUCCESS) return status;
    }
    return ring_allreduce(*plan.order, static_cast<char*>(receive), data.count, elements, op,
                          spare.get());
}

template <class Native>
int run_allreduce(const void* send, void* receive, const Data& data, MPI_Op op, Native&& native) {
    if (!may_choose_reduction(CollectiveOp::allreduce, data, op)) return native();
    const Plan plan = inside.plan(CollectiveOp::allreduce, data.bytes(), data.comm);
    if (plan.order == nullptr) return native();
    if (plan.algorithm.kind == AlgorithmKind::tuned) {
        return finished(data.comm, PMPI(Allreduce)(send, receive, data.count, data.type, op,
                                                   plan.order->comm()));
    }
    if (data.count < plan.order->size()) return native();
    return finished(data.comm, allreduce_by_ring(plan, send, receive, data, op));
}

template <class Native>
int run_reduce(const void* send, void* receive, const Data& data, MPI_Op op, int root,
               Native&& native) {
    if (!may_choose_reduction(CollectiveOp::reduce, data, op)) return native();
    const Plan plan = inside.plan(CollectiveOp::reduce, data.bytes(), data.comm);
    if (plan.order == nullptr || root < 0 || root >= plan.order->size()) return native();
    return finished(data.comm, PMPI(Reduce)(send, receive, data.count, data.type, op,
                                            plan.order->place_of(root), plan.order->comm()));
}

}  // namespace commmap::inside
