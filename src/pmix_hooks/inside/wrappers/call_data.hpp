// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>

#include "pmix_hooks/inside/algorithms/message_tag.hpp"
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

/// Copies a rank's own elements to where the algorithm wants them, whatever the two types are.
inline int copy_own(const Plan& plan, const void* from, int count, MPI_Datatype type, void* into,
                    const Data& data) noexcept {
    const int self = plan.order->place();
    return PMPI(Sendrecv)(from, count, type, self, message_tag, into, data.count, data.type, self,
                          message_tag, plan.order->comm(), MPI_STATUS_IGNORE);
}

}  // namespace commmap::inside
