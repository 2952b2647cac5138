// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

namespace commmap::inside {

/// What this library knows of one of the program's communicators. MPI keeps it as an attribute, and
/// deletes it with the communicator.
class CommState {
public:
    /// Returns the state of a communicator; null for an intercommunicator, and for one of a single
    /// rank.
    /// @param comm  valid
    /// Errors: ends the program where there is no memory for a few words, for the other members
    /// would wait for ever.
    /// Cost: a look-up of an attribute; at the first call for a communicator three local calls.
    [[nodiscard]] static CommState* of(MPI_Comm comm) noexcept;
    /// Leaves all communicators to MPI_Finalize, which has begun.
    static void leave_all() noexcept;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }

    /// Returns the communicator in the order of the machine; null when this communicator has none,
    /// which is so on all its members then.
    /// Called by all members for each call that could use it. A program may make communicators in
    /// a loop: a communicator gets an order with its third such call, MPI_COMM_WORLD with its
    /// first.
    /// @param node  position of this process's node in the order of the machine
    [[nodiscard]] const OrderedComm* ordered(int node) noexcept;

    ~CommState();
    CommState(const CommState&) = delete;
    CommState& operator=(const CommState&) = delete;

private:
    CommState(MPI_Comm comm, int rank, int size) noexcept : comm_(comm), rank_(rank), size_(size) {}

    MPI_Comm comm_;
    int rank_;
    int size_;
    std::uint32_t calls_ = 0;  ///< that could have used an order
    bool asked_ = false;
    std::unique_ptr<OrderedComm> ordered_;
};

}  // namespace commmap::inside
