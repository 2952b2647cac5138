// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/inside/algorithm.hpp"
#include "core/inside/comm_needs.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap::inside {

/// An algorithm for calls of one operation, in communicators of one size, from a number of bytes
/// on.
struct Rule {
    CollectiveOp op = CollectiveOp::barrier;
    std::uint32_t ranks = 0;
    std::uint64_t from_bytes = 0;
    Algorithm algorithm;
    bool operator==(const Rule&) const = default;
};

/// Reads an algorithm of an operation: "native", "ring", "chain SEGMENT_BYTES" or
/// "tuned NAME [SEGMENT_BYTES]" with a name of tuned_algorithms().
/// Errors: invalid_input when the operation has no such algorithm.
[[nodiscard]] Result<Algorithm> parse_algorithm(CollectiveOp op, std::string_view text);
/// Writes what parse_algorithm() reads.
[[nodiscard]] std::string text_of(CollectiveOp op, const Algorithm& algorithm);

/// The operations that have other algorithms than the native one here.
inline constexpr std::array all_operations{CollectiveOp::bcast, CollectiveOp::allgather,
                                           CollectiveOp::allreduce, CollectiveOp::reduce,
                                           CollectiveOp::alltoall};
/// Reads the name of one of them.
/// Errors: invalid_input; the message has the names.
[[nodiscard]] Result<CollectiveOp> parse_operation(std::string_view name);

/// Tells whether the name of an MPI library is that of a text about itself.
/// @param name     as MPI_Get_library_version() begins, up to the first comma or line end
/// @param version  what MPI_Get_library_version() says
[[nodiscard]] bool is_of_library(std::string_view name, std::string_view version);

/// How a call is run.
struct Choice {
    Algorithm algorithm;
    std::uint8_t comm = 0;  ///< number of the communicator that it needs (Choices::needs())
    bool operator==(const Choice&) const = default;
};

/// Which algorithm runs a call, by operation, size of the communicator, and bytes.
///
/// The bytes of a call are the same on all members of the communicator:
/// - bcast, reduce, allreduce: the whole buffer;
/// - allgather: what one member contributes;
/// - alltoall: what one member sends to another one.
/// So all members find the same algorithm, without a message.
/// Source: intervals of sizes, as in Kuehnemann, Rauber, Ruenger, section 3.7. There the choice is
/// among processor grids; here it is among algorithms, the MPI library's own one included.
class Choices {
public:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    /// Reads rules, which a semicolon divides: "OPERATION RANKS BYTES ALGORITHM", the algorithm as
    /// parse_algorithm() reads it. A rule holds in communicators of RANKS ranks, from BYTES on, up
    /// to the next rule of that operation and number. An empty text has no rules. "for NAME" among
    /// the rules names the MPI library that they were measured with.
    /// Errors: invalid_input; the message names the rule. Also when the rules for one number of
    /// ranks need more communicators than CommNeeds::most.
    [[nodiscard]] static Result<Choices> parse(std::string_view text);

    /// Writes what parse() reads, in one line without colons and commas.
    /// @param library  as MPI_Get_library_version() begins; empty: any
    [[nodiscard]] static std::string text_of(std::span<const Rule> rules, std::string_view library);

    /// Returns native where no rule holds.
    /// Cost: a binary search among the rules of the operation.
    [[nodiscard]] Choice find(CollectiveOp op, int ranks, std::uint64_t bytes) const noexcept;

    /// Returns the communicators that the rules for so many ranks need, by number.
    [[nodiscard]] std::span<const CommNeed> needs(int ranks) const noexcept;

    /// Returns the least bytes from which a rule of the operation may ask for another algorithm
    /// than native; never when no rule does. So small calls need not look at their communicator.
    [[nodiscard]] std::uint64_t least_bytes(CollectiveOp op) const noexcept {
        return least_bytes_[static_cast<std::size_t>(op)];
    }

    /// Tells whether the rules were measured with an MPI library.
    /// @param version  what MPI_Get_library_version() says
    [[nodiscard]] bool suit(std::string_view version) const;

private:
    [[nodiscard]] Status find_needs();

    static constexpr auto num_ops = static_cast<std::size_t>(CollectiveOp::count_);
    std::string library_;      ///< with which the rules were measured; empty: any
    std::vector<Rule> rules_;  ///< by operation, ranks, bytes
    std::vector<std::uint8_t> comm_of_rule_;
    std::map<std::uint32_t, CommNeeds> needs_;  ///< by ranks
    std::array<std::uint64_t, num_ops> least_bytes_{};
};

}  // namespace commmap::inside
