// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>

#include "core/profile/profile.hpp"
#include "pmix_hooks/mpi/handles.hpp"

namespace commmap::hooks {

/// Counts and types of the v and w forms: one count for each rank, one type for all ranks or one
/// for each.
class Counts {
public:
    template <class Count>
    Counts(const Count* counts, MPI_Datatype type) noexcept : type_(type) {
        keep(counts);
    }
    template <class Count>
    Counts(const Count* counts, Handles<MPI_Datatype> types) noexcept
        : types_(types), has_types_(true) {
        keep(counts);
    }

    [[nodiscard]] std::uint64_t bytes(std::uint32_t rank) const noexcept;

private:
    void keep(const int* counts) noexcept { counts_ = counts; }
    void keep(const MPI_Count* counts) noexcept { large_counts_ = counts; }

    const int* counts_ = nullptr;
    const MPI_Count* large_counts_ = nullptr;  ///< used in place of counts_
    MPI_Datatype type_{};
    Handles<MPI_Datatype> types_;
    bool has_types_ = false;
};

// Each of these functions counts one successful call of a collective on this rank.
// `bytes` is this rank's payload by the convention of CollectiveRecord.
// On an intercommunicator some messages between the two groups are fixed by the operation itself.
// These count as the peers' traffic, for no algorithm of ours expands them.

/// Counts an operation without a root.
void count_rootless(MPI_Comm comm, CollectiveOp op, std::uint64_t bytes) noexcept;
/// Counts bcast and scatter: data flow from the root, `bytes` to each rank.
void count_from_root(MPI_Comm comm, CollectiveOp op, int root, std::uint64_t bytes) noexcept;
/// Counts reduce and gather: data flow to the root, `bytes` from each rank.
void count_to_root(MPI_Comm comm, CollectiveOp op, int root, std::uint64_t bytes) noexcept;

/// Count operations whose lengths differ by rank: the bytes to each destination count as the peers'
/// traffic. 0 bytes are no message.
void count_gatherv(MPI_Comm comm, int root, std::uint64_t bytes) noexcept;
/// @param bytes  bytes that this rank gets
/// @param sent   bytes that this rank sends; significant at the root only
void count_scatterv(MPI_Comm comm, int root, std::uint64_t bytes, const Counts& sent) noexcept;
void count_alltoallv(MPI_Comm comm, const Counts& sent) noexcept;

/// Count neighbourhood collectives with one length for all neighbours, or with one for each.
void count_neighbours(MPI_Comm comm, CollectiveOp op, std::uint64_t bytes) noexcept;
void count_neighbours(MPI_Comm comm, CollectiveOp op, const Counts& sent) noexcept;

/// Return the size and this rank's number. In-place forms need them to find their own count.
[[nodiscard]] std::uint32_t group_size(MPI_Comm comm) noexcept;
[[nodiscard]] std::uint32_t own_rank(MPI_Comm comm) noexcept;
[[nodiscard]] bool is_inter(MPI_Comm comm) noexcept;

}  // namespace commmap::hooks
