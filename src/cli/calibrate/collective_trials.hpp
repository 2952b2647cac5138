// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "commmap/result.hpp"
#include "core/inside/choices.hpp"
#include "core/inside/collective_times.hpp"
#include "core/inside/timed_calls.hpp"

namespace commmap::cli {

/// One run of the program that times collective calls.
struct CollectivesStep {
    inside::RankOrder order = inside::RankOrder::block;
    std::uint32_t ranks_per_node = 1;
    std::string rules;  ///< inside::Choices: the algorithms beside the native calls
    std::string input;  ///< the calls
};
using RunCollectivesStep =
    std::function<Status(const CollectivesStep&, const std::function<void(const std::string&)>&)>;

/// What one step times: an algorithm for each of some operations.
struct CollectivesTrial {
    inside::RankOrder order = inside::RankOrder::block;
    std::vector<std::pair<CollectiveOp, inside::Algorithm>> algorithms;
};

/// Returns the steps for both orders of ranks, in the order in which they run.
/// @param operations  names; empty: all
[[nodiscard]] std::vector<CollectivesTrial> collective_trials(
    const std::vector<std::string>& operations);

/// Returns the calls of a step.
/// @param bytes  of the calls, ascending; empty: doubling from 64 B
/// @param ranks  of the step
[[nodiscard]] std::vector<inside::CallToTime> calls_of(const CollectivesTrial& trial,
                                                       const std::vector<std::uint64_t>& bytes,
                                                       std::uint32_t ranks);

/// Refuses bytes that a call of a step cannot have.
/// Errors: invalid_input.
[[nodiscard]] Status check_bytes(const CollectivesTrial& trial,
                                 const std::vector<std::uint64_t>& bytes, std::uint32_t ranks);

/// "block: bcast by chain 4096, allgather by ring, reduce by tuned pipeline 8192"
[[nodiscard]] std::string describe(const CollectivesTrial& trial);

/// What a step printed.
struct CollectivesTimed {
    std::string library;  ///< as MPI_Get_library_version() begins
    std::vector<inside::TimedCall> calls;
};

/// Runs a step, and returns what it timed: each of the calls, in their order.
/// @param rules  beside the native calls
/// Errors: those of the step; invalid_input when a call is missing.
[[nodiscard]] Result<CollectivesTimed> time_calls(const RunCollectivesStep& step,
                                                  inside::RankOrder order,
                                                  std::uint32_t ranks_per_node,
                                                  const std::vector<inside::Rule>& rules,
                                                  const std::vector<inside::CallToTime>& calls);

/// Runs the step of a trial, and returns the times of each of its algorithms. Takes the name of the
/// MPI library.
/// Errors: as time_calls().
[[nodiscard]] Result<std::vector<inside::MeasuredAlgorithm>> run_trial(
    const RunCollectivesStep& step, const CollectivesTrial& trial, std::uint32_t ranks,
    std::uint32_t ranks_per_node, const std::vector<inside::CallToTime>& calls,
    std::string& library);

}  // namespace commmap::cli
