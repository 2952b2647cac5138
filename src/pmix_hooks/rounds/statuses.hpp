// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstddef>

namespace commmap::hooks {

/// Sender of a status that does not tell the sender.
inline constexpr int unknown_source = MPI_ANY_SOURCE;

/// The statuses that a C program passes to a call; none where the program ignores them.
class Statuses {
public:
    Statuses(MPI_Status* statuses) noexcept  // NOLINT(google-explicit-constructor)
        : statuses_(statuses) {}
    [[nodiscard]] bool are_ignored() const noexcept {
        // MPI_STATUSES_IGNORE is the same address in both libraries
        return statuses_ == MPI_STATUS_IGNORE;
    }
    /// Returns the pointer to pass to the call.
    [[nodiscard]] MPI_Status* get() const noexcept { return statuses_; }
    [[nodiscard]] int source(std::size_t index) const noexcept {
        return are_ignored() ? unknown_source : statuses_[index].MPI_SOURCE;
    }

private:
    MPI_Status* statuses_;
};

/// The statuses of a Fortran program, which the recorder does not read.
/// MPI's own function for that ends a program whose status stands for none. What stands for none
/// differs by compiler and interface.
class FortranStatuses {
public:
    explicit FortranStatuses(const void*) noexcept {}
    [[nodiscard]] static bool are_ignored() noexcept { return false; }
    [[nodiscard]] static MPI_Status* get() noexcept { return nullptr; }
    [[nodiscard]] static int source(std::size_t) noexcept { return unknown_source; }
};

/// Returns the sender of a message that has been matched; MPI_ANY_SOURCE where nobody knows.
/// @param source  the source that the call asked for
[[nodiscard]] inline int sender(int source, const Statuses& status) noexcept {
    return source == MPI_ANY_SOURCE ? status.source(0) : source;
}
[[nodiscard]] inline int sender(int source, const FortranStatuses& status) noexcept {
    return source == MPI_ANY_SOURCE ? status.source(0) : source;
}

}  // namespace commmap::hooks
