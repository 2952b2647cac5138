// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/collective_op.hpp"
#include "pmix_hooks/inside/choice/algorithm.hpp"

namespace commmap::inside {

/// Which algorithm runs a call, by operation, size of the communicator, and bytes.
///
/// The bytes of a call are the same on all members of the communicator:
/// - bcast, allreduce: the whole buffer;
/// - allgather: what one member contributes.
/// So all members find the same algorithm, without a message.
/// Source: intervals of sizes, as in Kuehnemann, Rauber, Ruenger, section 3.7. There the choice is
/// among processor grids; here it is among algorithms, the MPI library's own one included.
class Choices {
public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    /// Reads rules, which a semicolon divides: "OPERATION RANKS BYTES ALGORITHM [SEGMENT]". A rule
    /// holds in communicators of RANKS ranks, from BYTES on, up to the next rule of that operation
    /// and number. An empty text has no rules.
    /// Errors: invalid_input; the message names the rule.
    [[nodiscard]] static Result<Choices> parse(std::string_view text);

    /// Returns native where no rule holds.
    /// Cost: a binary search among the rules of the operation.
    [[nodiscard]] Algorithm find(CollectiveOp op, int ranks, std::uint64_t bytes) const noexcept;

    /// Returns the least bytes from which a rule of the operation may ask for another algorithm
    /// than native; never when no rule does. So small calls need not look at their communicator.
    [[nodiscard]] std::uint64_t least_bytes(CollectiveOp op) const noexcept {
        return least_bytes_[static_cast<std::size_t>(op)];
    }

private:
    struct Rule {
        CollectiveOp op = CollectiveOp::barrier;
        std::uint32_t ranks = 0;
        std::uint64_t from_bytes = 0;
        Algorithm algorithm;
    };
    [[nodiscard]] static Result<Rule> parse_rule(std::string_view text);

    static constexpr auto num_ops = static_cast<std::size_t>(CollectiveOp::count_);
    std::vector<Rule> rules_;  ///< by operation, ranks, bytes
    std::array<std::uint64_t, num_ops> least_bytes_{};
};

}  // namespace commmap::inside
