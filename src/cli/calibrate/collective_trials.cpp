// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/collective_trials.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "core/calibration/measuring_text.hpp"
#include "core/inside/comm_needs.hpp"

namespace commmap::cli {
namespace {

using inside::CallToTime;
using inside::MeasuredAlgorithm;
using inside::RankOrder;
using inside::Rule;

/// Bytes from which a call is timed, doubling.
constexpr std::uint64_t shortest_call = 64;
/// Up to these bytes: of the whole buffer, and of one block.
constexpr std::uint64_t longest_buffer = std::uint64_t{4} << 20U;
constexpr std::uint64_t longest_block = std::uint64_t{256} << 10U;
/// The buffers of one rank that have blocks of all ranks: alltoall has two of them.
constexpr std::uint64_t most_bytes_of_rank = std::uint64_t{64} << 20U;
/// Sums are of MPI_INT.
constexpr std::uint64_t bytes_of_number = 4;

/// Algorithms to be timed of each operation. Each takes a step of its own: a step has one algorithm
/// for an operation.
struct Candidates {
    CollectiveOp op;
    std::vector<std::string_view> algorithms;
};
const std::array candidates{
    Candidates{
        CollectiveOp::bcast,
        {"chain 4096", "chain 8192", "chain 32768", "chain 131072", "tuned binomial",
         "tuned split_binary_tree 8192", "tuned binary_tree 8192", "tuned scatter_allgather_ring"}},
    Candidates{CollectiveOp::allgather,
               {"ring", "tuned bruck", "tuned recursive_doubling", "tuned neighbor"}},
    Candidates{CollectiveOp::allreduce,
               {"ring", "tuned recursive_doubling", "tuned rabenseifner", "tuned ring"}},
    Candidates{CollectiveOp::reduce,
               {"tuned pipeline 8192", "tuned pipeline 32768", "tuned binomial",
                "tuned rabenseifner", "tuned binary 8192"}},
    Candidates{CollectiveOp::alltoall, {"tuned linear", "tuned pairwise"}},
};

bool is_wanted(CollectiveOp op, const std::vector<std::string>& wanted) {
    return wanted.empty() ||
           std::find(wanted.begin(), wanted.end(), collective_name(op)) != wanted.end();
}

std::uint64_t longest_block_of(CollectiveOp op, std::uint32_t ranks) {
    return most_bytes_of_rank / ranks / (op == CollectiveOp::alltoall ? 2 : 1);
}

bool adds_numbers(CollectiveOp op) {
    return op == CollectiveOp::allreduce || op == CollectiveOp::reduce;
}

}  // namespace

std::vector<CollectivesTrial> collective_trials(const std::vector<std::string>& operations) {
    std::vector<CollectivesTrial> all;
    for (const RankOrder order : {RankOrder::block, RankOrder::cyclic}) {
        for (std::size_t nth = 0;; ++nth) {
            CollectivesTrial trial{order, {}};
            for (const Candidates& one : candidates) {
                if (nth >= one.algorithms.size() || !is_wanted(one.op, operations)) continue;
                trial.algorithms.emplace_back(
                    one.op, inside::parse_algorithm(one.op, one.algorithms[nth]).value());
            }
            if (trial.algorithms.empty()) break;
            all.push_back(std::move(trial));
        }
    }
    return all;
}

std::vector<CallToTime> calls_of(const CollectivesTrial& trial,
                                 const std::vector<std::uint64_t>& bytes, std::uint32_t ranks) {
    std::vector<CallToTime> calls;
    for (const auto& [op, algorithm] : trial.algorithms) {
        for (const std::uint64_t given : bytes) calls.push_back({op, given});
        if (!bytes.empty()) continue;
        const std::uint64_t longest = inside::has_blocks(op)
                                          ? std::min(longest_block, longest_block_of(op, ranks))
                                          : longest_buffer;
        for (std::uint64_t each = shortest_call; each <= longest; each *= 2) {
            calls.push_back({op, each});
        }
    }
    return calls;
}

Status check_bytes(const CollectivesTrial& trial, const std::vector<std::uint64_t>& bytes,
                   std::uint32_t ranks) {
    for (const auto& [op, algorithm] : trial.algorithms) {
        for (const std::uint64_t one : bytes) {
            if (inside::has_blocks(op) && one > longest_block_of(op, ranks)) {
                return Error{Errc::invalid_input,
                             fmt::format("{} bytes of each of {} ranks are more than 64 MiB in "
                                         "each rank: give --bytes less",
                                         one, ranks)};
            }
            if (adds_numbers(op) && one % bytes_of_number != 0) {
                return Error{Errc::invalid_input,
                             fmt::format("{} bytes are no whole number of integers, which {} "
                                         "adds: give a multiple of {}",
                                         one, collective_name(op), bytes_of_number)};
            }
        }
    }
    return Ok{};
}

std::string describe(const CollectivesTrial& trial) {
    std::string text(name_of(trial.order));
    for (const auto& [op, algorithm] : trial.algorithms) {
        text += fmt::format("{} {} by {}", &op == &trial.algorithms.front().first ? ":" : ",",
                            collective_name(op), inside::text_of(op, algorithm));
    }
    return text;
}

Result<CollectivesTimed> time_calls(const RunCollectivesStep& step, RankOrder order,
                                    std::uint32_t ranks_per_node, const std::vector<Rule>& rules,
                                    const std::vector<CallToTime>& calls) {
    CollectivesTimed timed;
    Status run = step(
        {order, ranks_per_node, inside::Choices::text_of(rules, ""), inside::write_calls(calls)},
        [&](const std::string& line) {
            if (auto library = read_library(line)) timed.library = *library;
            if (auto call = inside::read_timed(line)) timed.calls.push_back(*std::move(call));
        });
    if (!run) return run.error();
    const bool has_all =
        std::equal(calls.begin(), calls.end(), timed.calls.begin(), timed.calls.end(),
                   [](const CallToTime& asked, const auto& got) { return asked == got.call; });
    if (!has_all) {
        return Error{Errc::invalid_input,
                     fmt::format("the measuring program timed {} calls, and not the {} calls that "
                                 "it was asked for",
                                 timed.calls.size(), calls.size())};
    }
    return timed;
}

Result<std::vector<MeasuredAlgorithm>> run_trial(const RunCollectivesStep& step,
                                                 const CollectivesTrial& trial, std::uint32_t ranks,
                                                 std::uint32_t ranks_per_node,
                                                 const std::vector<CallToTime>& calls,
                                                 std::string& library) {
    std::vector<Rule> rules;
    std::vector<MeasuredAlgorithm> measured;
    for (const auto& [op, algorithm] : trial.algorithms) {
        rules.push_back({op, ranks, 1, algorithm});
        measured.push_back({op, trial.order, algorithm, {}});
    }
    auto timed = time_calls(step, trial.order, ranks_per_node, rules, calls);
    if (!timed) return timed.error();
    library = timed.value().library;
    for (const inside::TimedCall& call : timed.value().calls) {
        for (MeasuredAlgorithm& one : measured) {
            if (one.op == call.call.op) one.calls.push_back(summary_of(call));
        }
    }
    return measured;
}

}  // namespace commmap::cli
