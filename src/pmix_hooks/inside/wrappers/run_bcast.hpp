// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "pmix_hooks/inside/algorithms/chain_broadcast.hpp"
#include "pmix_hooks/inside/communicators/end_program.hpp"
#include "pmix_hooks/inside/inside.hpp"
#include "pmix_hooks/inside/wrappers/call_data.hpp"

namespace commmap::inside {

/// Broadcasts bytes. coll/tuned divides a buffer by whole elements, so it gets bytes too: members
/// with different types would divide the same data differently.
inline int broadcast_bytes(const Plan& plan, char* buffer, std::uint64_t num_bytes,
                           int root) noexcept {
    const int root_place = plan.order->place_of(root);
    if (plan.algorithm.kind == AlgorithmKind::tuned) {
        return PMPI(Bcast)(buffer, static_cast<int>(num_bytes), hooks::type_byte(), root_place,
                           plan.order->comm());
    }
    return chain_broadcast(*plan.order, buffer, num_bytes, root_place,
                           plan.algorithm.segment_bytes);
}

/// Broadcasts data whose bytes in memory are not the data: packed, as the other members may have
/// the data. The errors of packing are returned on this library's communicator, as all others.
inline int broadcast_packed(const Plan& plan, void* buffer, const Data& data, int root) noexcept {
    const auto num_bytes = static_cast<int>(data.bytes());
    const MPI_Comm comm = plan.order->comm();
    std::unique_ptr<char[]> packed(new (std::nothrow) char[static_cast<std::size_t>(num_bytes)]);
    if (packed == nullptr) end_program(data.comm);
    int at = 0;
    int status = MPI_SUCCESS;
    if (plan.rank == root) {
        status = PMPI(Pack)(buffer, data.count, data.type, packed.get(), num_bytes, &at, comm);
    }
    if (status == MPI_SUCCESS) {
        status = broadcast_bytes(plan, packed.get(), static_cast<std::uint64_t>(num_bytes), root);
    }
    if (status != MPI_SUCCESS) {
        static_cast<void>(packed.release());  // MPI may still send from there
    } else if (plan.rank != root) {
        status = PMPI(Unpack)(packed.get(), num_bytes, &at, buffer, data.count, data.type, comm);
    }
    return status;
}

template <class Native>
int run_bcast(void* buffer, const Data& data, int root, Native&& native) {
    if (!may_choose(CollectiveOp::bcast, data)) return native();
    const Plan plan = inside.plan(CollectiveOp::bcast, data.bytes(), data.comm);
    if (plan.order == nullptr || root < 0 || root >= plan.order->size()) return native();
    if (!data.is_dense()) return finished(data.comm, broadcast_packed(plan, buffer, data, root));
    return finished(data.comm,
                    broadcast_bytes(plan, static_cast<char*>(buffer), data.bytes(), root));
}

}  // namespace commmap::inside
