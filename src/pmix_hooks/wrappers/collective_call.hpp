#pragma once

#include <mpi.h>

#include <cstdint>

#include "core/profile/profile.hpp"
#include "pmix_hooks/mpi/handles.hpp"

namespace commmap::hooks {

/// Counts and types of the v and w forms: one count per rank, one type for all or one per rank.
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
    const MPI_Count* large_counts_ = nullptr;  ///< in place of counts_
    MPI_Datatype type_{};
    Handles<MPI_Datatype> types_;
    bool has_types_ = false;
};

// Each of these counts one successful call of a collective on this rank; `bytes` is this rank's
// payload by the convention of CollectiveRecord. On an intercommunicator the messages between the
// two groups that the operation itself fixes go into the peers' traffic, for no algorithm of ours
// expands those.

/// Operations without a root.
void count_rootless(MPI_Comm comm, CollectiveOp op, std::uint64_t bytes) noexcept;
/// bcast and scatter: data flow from the root, `bytes` to each.
void count_from_root(MPI_Comm comm, CollectiveOp op, int root, std::uint64_t bytes) noexcept;
/// reduce and gather: data flow to the root, `bytes` from each.
void count_to_root(MPI_Comm comm, CollectiveOp op, int root, std::uint64_t bytes) noexcept;

/// Operations whose lengths differ by rank: each destination's bytes go into the peers' traffic, 0
/// bytes as no message.
void count_gatherv(MPI_Comm comm, int root, std::uint64_t bytes) noexcept;
/// @param bytes  what this rank gets
/// @param sent   what it sends; significant at the root only
void count_scatterv(MPI_Comm comm, int root, std::uint64_t bytes, const Counts& sent) noexcept;
void count_alltoallv(MPI_Comm comm, const Counts& sent) noexcept;

/// Neighbourhood forms with one length for all neighbours, or one for each.
void count_neighbours(MPI_Comm comm, CollectiveOp op, std::uint64_t bytes) noexcept;
void count_neighbours(MPI_Comm comm, CollectiveOp op, const Counts& sent) noexcept;

/// Size and own rank, which the in-place forms need to know which count is theirs.
[[nodiscard]] std::uint32_t group_size(MPI_Comm comm) noexcept;
[[nodiscard]] std::uint32_t own_rank(MPI_Comm comm) noexcept;
[[nodiscard]] bool is_inter(MPI_Comm comm) noexcept;

}  // namespace commmap::hooks
