#pragma once

#include <mpi.h>

#include <cstddef>

namespace commmap::hooks {

/// What a status says of the sender where it says nothing.
inline constexpr int unknown_source = MPI_ANY_SOURCE;

/// The statuses that a C program passes to a call, or none where it ignores them.
class Statuses {
public:
    Statuses(MPI_Status* statuses) noexcept  // NOLINT(google-explicit-constructor)
        : statuses_(statuses) {}
    [[nodiscard]] bool are_ignored() const noexcept {
        // MPI_STATUSES_IGNORE is the same in both
        return statuses_ == MPI_STATUS_IGNORE;
    }
    /// What the call is given.
    [[nodiscard]] MPI_Status* get() const noexcept { return statuses_; }
    [[nodiscard]] int source(std::size_t index) const noexcept {
        return are_ignored() ? unknown_source : statuses_[index].MPI_SOURCE;
    }

private:
    MPI_Status* statuses_;
};

/// Those of a Fortran program, which nobody reads: MPI's own function for that ends a program whose
/// status stands for none, and what stands for none differs by compiler and interface.
class FortranStatuses {
public:
    explicit FortranStatuses(const void*) noexcept {}
    [[nodiscard]] static bool are_ignored() noexcept { return false; }
    [[nodiscard]] static MPI_Status* get() noexcept { return nullptr; }
    [[nodiscard]] static int source(std::size_t) noexcept { return unknown_source; }
};

/// Of a message that has been matched: `source` as it was asked for. MPI_ANY_SOURCE where nobody
/// knows.
[[nodiscard]] inline int sender(int source, const Statuses& status) noexcept {
    return source == MPI_ANY_SOURCE ? status.source(0) : source;
}
[[nodiscard]] inline int sender(int source, const FortranStatuses& status) noexcept {
    return source == MPI_ANY_SOURCE ? status.source(0) : source;
}

}  // namespace commmap::hooks
