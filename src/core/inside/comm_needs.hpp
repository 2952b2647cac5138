// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/inside/algorithm.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap::inside {

/// Order of the ranks in a communicator on which an algorithm runs.
enum class CommOrder : std::uint8_t {
    machine,  ///< the ranks of a node next to each other
    program   ///< that of the program's communicator
};

/// Tells whether the ranks' blocks stand by rank in a buffer of the operation. The bytes of a call
/// (Choices) are those of one block then.
[[nodiscard]] bool has_blocks(CollectiveOp op) noexcept;

/// Returns the order in which an algorithm wants the ranks. The MPI library's own allgather and
/// alltoall put blocks where ranks are numbered, so they need the program's order.
[[nodiscard]] CommOrder order_of(CollectiveOp op, const Algorithm& algorithm) noexcept;

/// A communicator that rules need beside the program's one. Open MPI takes the algorithms of
/// coll/tuned when a communicator is made, one for each operation.
struct CommNeed {
    CommOrder order = CommOrder::machine;
    std::vector<std::pair<CollectiveOp, Algorithm>> tuned;  ///< each operation at most once
};

/// The communicators that rules need for one communicator of the program.
class CommNeeds {
public:
    /// A communicator of the program has at most so many beside it.
    static constexpr std::size_t most = 3;

    /// Returns which communicator an algorithm runs on: a number below `most`, the same for every
    /// call with these arguments.
    /// Ranks that ask for the same algorithms in the same order get the same numbers.
    /// @pre    another algorithm than native
    /// @return nullopt when that would take more than `most` communicators
    [[nodiscard]] std::optional<std::uint8_t> number_for(CollectiveOp op,
                                                         const Algorithm& algorithm);

    /// By number.
    [[nodiscard]] const std::vector<CommNeed>& all() const noexcept { return needs_; }

private:
    std::vector<CommNeed> needs_;
};

}  // namespace commmap::inside
