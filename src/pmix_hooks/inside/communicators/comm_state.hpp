// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>

#include "core/inside/comm_needs.hpp"
#include "pmix_hooks/inside/communicators/ordered_comm.hpp"

namespace commmap::inside {

/// What this library knows of one of the program's communicators. MPI keeps it as an attribute, and
/// deletes it with the communicator.
class CommState {
public:
    /// Prepares of(), before any other call. Ends the program without memory.
    static void prepare() noexcept;
    /// Returns the state of a communicator; null where all its members call natively: an
    /// intercommunicator, one of a single rank, or one with processes of another MPI_COMM_WORLD,
    /// which may lack this library.
    /// @param comm  valid
    /// Errors: ends the program without memory.
    /// Cost: a look-up of an attribute; at the first call for a communicator also a look at its
    /// ranks.
    [[nodiscard]] static CommState* of(MPI_Comm comm) noexcept;
    /// Leaves all communicators to MPI_Finalize, which has begun.
    static void leave_all() noexcept;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }

    /// Returns a communicator for other algorithms; null when this communicator has none, which is
    /// so on all its members then.
    /// Called by all members for each call that could use it. A program may make communicators in
    /// a loop: a communicator gets another one beside it with its third such call, MPI_COMM_WORLD
    /// with its first.
    /// @param number  of the communicator among those that the rules need, < CommNeeds::most
    /// @param need    the same at each call with this number
    /// @param node    position of this process's node in the order of the machine
    [[nodiscard]] const OrderedComm* ordered(std::uint8_t number, const CommNeed& need,
                                             int node) noexcept;

    ~CommState();
    CommState(const CommState&) = delete;
    CommState& operator=(const CommState&) = delete;

private:
    CommState(MPI_Comm comm, int rank, int size, bool is_native) noexcept
        : comm_(comm), rank_(rank), size_(size), is_native_(is_native) {}

    MPI_Comm comm_;
    int rank_;
    int size_;
    bool is_native_;
    std::uint32_t calls_ = 0;  ///< that could have used another communicator
    struct Beside {
        bool was_asked_for = false;
        std::unique_ptr<OrderedComm> comm;
    };
    std::array<Beside, CommNeeds::most> beside_;
};

}  // namespace commmap::inside
