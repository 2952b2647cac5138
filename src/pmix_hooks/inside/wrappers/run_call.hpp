// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "pmix_hooks/inside/algorithms/chain_broadcast.hpp"
#include "pmix_hooks/inside/algorithms/message_tag.hpp"
#include "pmix_hooks/inside/algorithms/ring.hpp"
#include "pmix_hooks/inside/inside.hpp"
#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/mpi/type_size.hpp"

namespace commmap::inside {

// A function run_X() runs one call of MPI_X by the algorithm that is chosen for it. `native` makes
// the program's own call. Calls with a missing type, communicator or root go to MPI, which refuses
// them.
//
// All members must choose the same. So a choice depends on nothing that may differ between members:
// they may describe the same data by different types, and each its own buffer.

/// An error on this library's communicator is one of the program's communicator.
inline int finished(MPI_Comm comm, int status) noexcept {
    if (status != MPI_SUCCESS) PMPI(Comm_call_errhandler)(comm, status);
    return status;
}

/// The arguments that say how much data a call is about.
struct Data {
    int count;
    MPI_Datatype type;
    MPI_Comm comm;

    [[nodiscard]] bool is_some() const noexcept {
        return count > 0 && type != hooks::type_null() && comm != hooks::comm_null();
    }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return hooks::data_bytes(count, type); }
    /// Whether MPI defines the type.
    [[nodiscard]] bool is_named() const noexcept {
        int integers = 0;
        int addresses = 0;
        int types = 0;
        int combiner = 0;
        return PMPI(Type_get_envelope)(type, &integers, &addresses, &types, &combiner) ==
                   MPI_SUCCESS &&
               combiner == MPI_COMBINER_NAMED;
    }
    /// Whether the bytes in memory are the data: no gaps, as in MPI_DOUBLE_INT, and no other order.
    [[nodiscard]] bool is_dense() const noexcept {
        return is_named() && extent_bytes() >= 0 &&
               static_cast<std::uint64_t>(extent_bytes()) * static_cast<std::uint64_t>(count) ==
                   bytes();
    }
    /// Bytes from one element to the next; -1 where MPI does not say.
    [[nodiscard]] MPI_Aint extent_bytes() const noexcept {
        MPI_Aint lower = 0;
        MPI_Aint extent = -1;
        return PMPI(Type_get_extent)(type, &lower, &extent) == MPI_SUCCESS ? extent : -1;
    }
};

/// Whether a call may run by another algorithm than native. Not where MPI's own functions could not
/// count its bytes.
inline bool may_choose(CollectiveOp op, const Data& data) noexcept {
    if (!inside.is_active() || !data.is_some()) return false;
    const std::uint64_t num_bytes = data.bytes();
    return num_bytes > 0 && num_bytes <= INT_MAX && inside.may_choose(op, num_bytes);
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
        status = chain_broadcast(*plan.order, packed.get(), static_cast<std::uint64_t>(num_bytes),
                                 plan.order->place_of(root), plan.algorithm.segment_bytes);
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
    const int status = chain_broadcast(*plan.order, static_cast<char*>(buffer), data.bytes(),
                                       plan.order->place_of(root), plan.algorithm.segment_bytes);
    return finished(data.comm, status);
}

/// Copies a rank's own elements to where the algorithm wants them, whatever the two types are.
inline int copy_own(const Plan& plan, const void* from, int count, MPI_Datatype type, void* into,
                    const Data& data) noexcept {
    const int self = plan.order->place();
    return PMPI(Sendrecv)(from, count, type, self, message_tag, into, data.count, data.type, self,
                          message_tag, plan.order->comm(), MPI_STATUS_IGNORE);
}

/// @param data  what this rank receives of each rank
template <class Native>
int run_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                  const Data& data, Native&& native) {
    if (receive == MPI_IN_PLACE || !may_choose(CollectiveOp::allgather, data)) return native();
    const Plan plan = inside.plan(CollectiveOp::allgather, data.bytes(), data.comm);
    if (plan.order == nullptr) return native();
    const Elements elements{data.type, data.extent_bytes()};
    auto* const blocks = static_cast<char*>(receive);
    int status = MPI_SUCCESS;
    if (send != MPI_IN_PLACE) {
        char* const own = blocks + MPI_Aint{plan.rank} * data.count * elements.extent_bytes;
        status = copy_own(plan, send, send_count, send_type, own, data);
    }
    if (status == MPI_SUCCESS) status = ring_allgather(*plan.order, blocks, data.count, elements);
    return finished(data.comm, status);
}

template <class Native>
int run_allreduce(const void* send, void* receive, const Data& data, MPI_Op op, Native&& native) {
    int commutes = 0;
    // All members have the same count, type and operation here: MPI asks for that.
    if (!may_choose(CollectiveOp::allreduce, data) || !data.is_named() || op == hooks::op_null() ||
        PMPI(Op_commutative)(op, &commutes) != MPI_SUCCESS || commutes == 0) {
        return native();
    }
    const Plan plan = inside.plan(CollectiveOp::allreduce, data.bytes(), data.comm);
    if (plan.order == nullptr || data.count < plan.order->size()) return native();
    const Elements elements{data.type, data.extent_bytes()};
    const auto spare_bytes = static_cast<std::size_t>(data.count / plan.order->size() + 1) *
                             static_cast<std::size_t>(std::max<MPI_Aint>(elements.extent_bytes, 1));
    const std::unique_ptr<char[]> spare(new (std::nothrow) char[spare_bytes]);
    if (spare == nullptr) end_program(data.comm);
    int status = MPI_SUCCESS;
    if (send != MPI_IN_PLACE) {
        status = copy_own(plan, send, data.count, data.type, receive, data);
    }
    if (status == MPI_SUCCESS) {
        status = ring_allreduce(*plan.order, static_cast<char*>(receive), data.count, elements, op,
                                spare.get());
    }
    return finished(data.comm, status);
}

}  // namespace commmap::inside
