// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/inside/algorithm.hpp"
#include "core/profile/collective_op.hpp"

namespace commmap::inside {

/// How Slurm distributes the ranks of a step over its nodes.
enum class RankOrder : std::uint8_t {
    block,  ///< the ranks of a node follow each other
    cyclic  ///< rank 0 on the first node, rank 1 on the second, and so on, again and again
};
[[nodiscard]] std::string_view name_of(RankOrder order);

/// Measured times of one operation with one number of bytes (Choices says which bytes).
struct MeasuredCall {
    std::uint64_t bytes = 0;
    double native_us = 0.0;     ///< median of the MPI library's own call
    double algorithm_us = 0.0;  ///< median of the algorithm
    /// Native time divided by the algorithm's: lower end of the median's 95 % interval, in rounds
    /// in which both were measured one after the other.
    double least_gain = 0.0;
    bool operator==(const MeasuredCall&) const = default;
};

/// Times of one algorithm beside the MPI library's own, in one order of ranks.
struct MeasuredAlgorithm {
    CollectiveOp op = CollectiveOp::barrier;
    RankOrder order = RankOrder::block;
    Algorithm algorithm;
    std::vector<MeasuredCall> calls;  ///< by bytes, ascending, each once
    bool operator==(const MeasuredAlgorithm&) const = default;
};

/// Times in steps with the same number of ranks on each of so many nodes.
struct MeasuredLayout {
    std::uint32_t nodes = 0;
    std::uint32_t ranks_per_node = 0;
    std::vector<MeasuredAlgorithm> algorithms;
    bool operator==(const MeasuredLayout&) const = default;
};

/// What `commmap calibrate --collectives` has measured on a machine, with one MPI library.
struct CollectiveTimes {
    std::string library;                  ///< as MPI_Get_library_version() begins
    std::string origin;                   ///< when and how the times were measured; for people
    std::vector<MeasuredLayout> layouts;  ///< each number of nodes and ranks once
    bool operator==(const CollectiveTimes&) const = default;
};

/// The longest file of times: about 20 layouts. The planner reads the file within its time.
inline constexpr std::uint64_t most_bytes_of_times = std::uint64_t{1} << 20U;

/// Reads a file of times: YAML, docs/formats/collectives-yaml.md.
/// @param file  name for messages
/// Errors: invalid_input, with line and column; not_supported for another version.
[[nodiscard]] Result<CollectiveTimes> parse_collective_times(const std::string& file,
                                                             std::string_view text);
/// Does the same with the file itself.
/// Errors: also io and not_found.
[[nodiscard]] Result<CollectiveTimes> read_collective_times(const std::string& path);

/// Writes what parse_collective_times() reads.
[[nodiscard]] std::string text_of(const CollectiveTimes& times);

}  // namespace commmap::inside
