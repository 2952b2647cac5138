// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "core/inside/comm_needs.hpp"

namespace commmap::inside {

/// A communicator with the ranks of another one, in the order that algorithms need. In the order of
/// the machine the ranks of a node stand next to each other, and so do the nodes of a switch. A
/// rank's number in the order is its place. Messages on this communicator meet none of the
/// program's.
///
/// Errors on this communicator are returned, not fatal.
class OrderedComm {
public:
    /// Called by all members of `comm`. A member that cannot take part makes all others get
    /// nothing.
    /// @param need      order of the ranks, and the algorithms of coll/tuned that the communicator
    ///                  has
    /// @param node      position of this member's node in the order of the machine
    /// @param may_take  this member has room for one more communicator
    /// @return          null on all members, or on none of them
    /// Cost: MPI_Comm_split, and an allreduce of two numbers. With algorithms of coll/tuned also
    /// an allgather of one number.
    [[nodiscard]] static std::unique_ptr<OrderedComm> make(MPI_Comm comm, const CommNeed& need,
                                                           int node, bool may_take) noexcept;
    OrderedComm(const OrderedComm&) = delete;
    OrderedComm& operator=(const OrderedComm&) = delete;
    ~OrderedComm();

    /// Tells whether the algorithms of coll/tuned that were asked for could be had. All members
    /// have the same answer. Without them none of MPI's collective calls may be made here.
    [[nodiscard]] bool has_tuned() const noexcept { return has_tuned_; }
    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
    [[nodiscard]] int size() const noexcept { return static_cast<int>(rank_at_.size()); }
    [[nodiscard]] int place() const noexcept { return place_; }
    /// Place in this order -> rank in the other communicator.
    [[nodiscard]] int rank_at(int place) const noexcept {
        return rank_at_[static_cast<std::size_t>(place)];
    }
    /// Rank in the other communicator -> place in this order.
    [[nodiscard]] int place_of(int rank) const noexcept {
        return place_of_[static_cast<std::size_t>(rank)];
    }
    /// The place `steps` behind another one; the first place is behind the last one.
    [[nodiscard]] int behind(int place, int steps) const noexcept {
        return (place + steps) % size();
    }

    /// Leaves the communicator to MPI_Finalize, when it may not be freed any more.
    void leave() noexcept;

private:
    OrderedComm() = default;
    [[nodiscard]] bool look_up_ranks(MPI_Comm comm) noexcept;

    MPI_Comm comm_ = {};
    bool has_tuned_ = false;
    int place_ = 0;
    std::vector<int> rank_at_;
    std::vector<int> place_of_;
};

}  // namespace commmap::inside
