// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>

#include "pmix_hooks/mpi/handles.hpp"
#include "pmix_hooks/mpi/type_size.hpp"
#include "pmix_hooks/recorder.hpp"
#include "pmix_hooks/wrappers/collective_call.hpp"

namespace commmap::hooks {

// Functions with which the notes in mpi_calls.py read a call's arguments.

[[nodiscard]] inline bool in_place(const void* buffer) noexcept { return buffer == MPI_IN_PLACE; }

/// Returns whether this rank is in the root's group of an intercommunicator. Such a rank
/// contributes nothing, or receives nothing.
[[nodiscard]] inline bool on_root_side(int root) noexcept {
    return root == MPI_ROOT || root == MPI_PROC_NULL;
}

/// Counts the sent data of an operation that also fetches; nothing where the operation only
/// fetches.
inline void put_for(MPI_Op op, MPI_Win win, int target, std::uint64_t bytes) noexcept {
    if (op != op_no_op()) recorder.put(win, target, bytes);
}

/// Returns the sum of the counts of all ranks of `comm`.
template <class Count>
[[nodiscard]] MPI_Count sum_of(const Count counts[], MPI_Comm comm) noexcept {
    MPI_Count sum = 0;
    const std::uint32_t size = group_size(comm);
    for (std::uint32_t i = 0; i < size; ++i) sum += counts[i];
    return sum;
}

/// Returns the bytes that the send arguments say; with MPI_IN_PLACE, those that the receive
/// arguments say.
[[nodiscard]] inline std::uint64_t contributed(const void* send, MPI_Count send_count,
                                               MPI_Datatype send_type, MPI_Count receive_count,
                                               MPI_Datatype receive_type) noexcept {
    return in_place(send) ? data_bytes(receive_count, receive_type)
                          : data_bytes(send_count, send_type);
}

/// Does the same where the receive counts differ by rank.
template <class Count>
[[nodiscard]] std::uint64_t contributed(const void* send, MPI_Count send_count,
                                        MPI_Datatype send_type, const Count receive_counts[],
                                        MPI_Datatype receive_type, MPI_Comm comm) noexcept {
    return in_place(send) ? data_bytes(receive_counts[own_rank(comm)], receive_type)
                          : data_bytes(send_count, send_type);
}

/// Returns the mean of the bytes that the ranks of `comm` send, to the nearest byte. So every rank
/// returns the same number.
/// On an intercommunicator returns the bytes that this rank sends, for no rank has the counts of
/// its own group there.
template <class Count>
[[nodiscard]] std::uint64_t mean_contributed(const void* send, MPI_Count send_count,
                                             MPI_Datatype send_type, const Count receive_counts[],
                                             MPI_Datatype receive_type, MPI_Comm comm) noexcept {
    const std::uint32_t size = group_size(comm);
    if (is_inter(comm) || size == 0)
        return contributed(send, send_count, send_type, receive_counts, receive_type, comm);
    return (data_bytes(sum_of(receive_counts, comm), receive_type) + size / 2) / size;
}

}  // namespace commmap::hooks
