// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/collectives_command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/calibrate/calibration_text.hpp"
#include "cli/calibrate/measuring_step.hpp"
#include "cli/command.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/inside/choices.hpp"
#include "core/inside/timed_calls.hpp"
#include "core/text/one_line.hpp"

namespace commmap::cli {
namespace {

using inside::Algorithm;
using inside::AlgorithmKind;
using inside::CallToTime;
using inside::CollectiveTimes;
using inside::MeasuredAlgorithm;
using inside::MeasuredLayout;
using inside::RankOrder;

/// Bytes from which a call is timed, doubling.
constexpr std::uint64_t shortest_call = 64;
/// Up to these bytes: of the whole buffer, and of what one rank contributes.
constexpr std::uint64_t longest_buffer = std::uint64_t{4} << 20U;
constexpr std::uint64_t longest_part = std::uint64_t{256} << 10U;
/// What all ranks contribute together: each rank has room for that.
constexpr std::uint64_t longest_of_all = std::uint64_t{64} << 20U;
/// Sums are of MPI_INT.
constexpr std::uint64_t bytes_of_number = 4;
/// Segments of chains. Each takes a step of its own: a step has one algorithm for an operation.
constexpr std::array<std::uint32_t, 4> chain_segments{4096, 8192, 32768, 131072};

/// What one step times: an algorithm for each of some operations.
struct Trial {
    RankOrder order = RankOrder::block;
    std::vector<std::pair<CollectiveOp, Algorithm>> algorithms;
};

std::vector<Trial> trials(const CollectivesArguments& arguments) {
    const auto is_wanted = [&](const auto& algorithm) {
        const auto& wanted = arguments.operations;
        return wanted.empty() || std::find(wanted.begin(), wanted.end(),
                                           collective_name(algorithm.first)) != wanted.end();
    };
    std::vector<Trial> all;
    for (const RankOrder order : {RankOrder::block, RankOrder::cyclic}) {
        for (const std::uint32_t segment : chain_segments) {
            Trial trial{order, {{CollectiveOp::bcast, {AlgorithmKind::chain, segment}}}};
            if (segment == chain_segments.front()) {
                trial.algorithms.push_back({CollectiveOp::allgather, {AlgorithmKind::ring, 0}});
                trial.algorithms.push_back({CollectiveOp::allreduce, {AlgorithmKind::ring, 0}});
            }
            std::erase_if(trial.algorithms, [&](const auto& one) { return !is_wanted(one); });
            if (!trial.algorithms.empty()) all.push_back(std::move(trial));
        }
    }
    return all;
}

/// @param bytes  of the calls, ascending; empty: doubling
std::vector<CallToTime> calls_of(const Trial& trial, const std::vector<std::uint64_t>& bytes,
                                 std::uint32_t ranks) {
    std::vector<CallToTime> calls;
    for (const auto& [op, algorithm] : trial.algorithms) {
        for (const std::uint64_t given : bytes) calls.push_back({op, given});
        if (!bytes.empty()) continue;
        const std::uint64_t longest = op == CollectiveOp::allgather
                                          ? std::min(longest_part, longest_of_all / ranks)
                                          : longest_buffer;
        for (std::uint64_t each = shortest_call; each <= longest; each *= 2) {
            calls.push_back({op, each});
        }
    }
    return calls;
}

/// Refuses bytes that no call of the wanted operations can have.
Status check_bytes(const std::vector<Trial>& trials, const std::vector<std::uint64_t>& bytes,
                   std::uint32_t ranks) {
    for (const Trial& trial : trials) {
        for (const auto& [op, algorithm] : trial.algorithms) {
            for (const std::uint64_t one : bytes) {
                if (op == CollectiveOp::allgather && one > longest_of_all / ranks) {
                    return Error{Errc::invalid_input,
                                 fmt::format("{} bytes of each of {} ranks are more than 64 MiB in "
                                             "each rank: give --bytes less",
                                             one, ranks)};
                }
                if (op == CollectiveOp::allreduce && one % bytes_of_number != 0) {
                    return Error{Errc::invalid_input,
                                 fmt::format("{} bytes are no whole number of integers, which "
                                             "allreduce adds: give a multiple of {}",
                                             one, bytes_of_number)};
                }
            }
        }
    }
    return Ok{};
}

std::string rules_of(const Trial& trial, std::uint32_t ranks) {
    std::vector<inside::Rule> rules;
    for (const auto& [op, algorithm] : trial.algorithms) rules.push_back({op, ranks, 1, algorithm});
    return inside::Choices::text_of(rules, "");
}

/// "block: bcast by chain 4096, allgather by ring, allreduce by ring"
std::string describe_trial(const Trial& trial) {
    std::string text(name_of(trial.order));
    for (const auto& [op, algorithm] : trial.algorithms) {
        text += fmt::format("{} {} by {}", &op == &trial.algorithms.front().first ? ":" : ",",
                            collective_name(op), inside::text_of(algorithm));
    }
    return text;
}

/// Keeps what the program prints, in the order of the trial's algorithms.
class TimedTrial {
public:
    explicit TimedTrial(const Trial& trial) {
        for (const auto& [op, algorithm] : trial.algorithms)
            measured_.push_back({op, trial.order, algorithm, {}});
    }

    void take(const std::string& line) {
        if (auto library = read_library(line)) library_ = *std::move(library);
        const auto timed = inside::read_timed(line);
        if (!timed) return;
        for (MeasuredAlgorithm& one : measured_) {
            const bool ascends = one.calls.empty() || one.calls.back().bytes < timed->call.bytes;
            if (one.op == timed->call.op && ascends) one.calls.push_back(summary_of(*timed));
        }
    }

    [[nodiscard]] std::size_t num_calls() const {
        std::size_t calls = 0;
        for (const MeasuredAlgorithm& one : measured_) calls += one.calls.size();
        return calls;
    }
    [[nodiscard]] const std::string& library() const { return library_; }
    [[nodiscard]] std::vector<MeasuredAlgorithm>& measured() { return measured_; }

private:
    std::string library_;
    std::vector<MeasuredAlgorithm> measured_;
};

/// Returns times with one layout added, or in place of the same one.
CollectiveTimes with_layout(CollectiveTimes times, MeasuredLayout layout) {
    const auto same =
        std::find_if(times.layouts.begin(), times.layouts.end(), [&](const MeasuredLayout& one) {
            return one.nodes == layout.nodes && one.ranks_per_node == layout.ranks_per_node;
        });
    if (same == times.layouts.end()) {
        times.layouts.push_back(std::move(layout));
    } else {
        *same = std::move(layout);
    }
    return times;
}

/// Reads the times that a file has; none where there is no file.
Result<std::optional<CollectiveTimes>> times_of(const std::string& path) {
    if (path == "-") return std::optional<CollectiveTimes>();
    auto times = inside::read_collective_times(path);
    if (times) return std::optional(std::move(times).value());
    if (times.error().code == Errc::not_found) return std::optional<CollectiveTimes>();
    return Error{times.error().code,
                 times.error().message + "; move the file away, or name another with --output"};
}

/// Says which algorithms were faster, for people.
void print_gains(const MeasuredLayout& layout) {
    for (const MeasuredAlgorithm& one : layout.algorithms) {
        double best = 0.0;
        std::uint64_t at = 0;
        for (const inside::MeasuredCall& call : one.calls) {
            if (call.least_gain <= best) continue;
            best = call.least_gain;
            at = call.bytes;
        }
        std::fprintf(stderr, "commmap: %s %s by %s: at best %.2f x as fast as native (%llu B)\n",
                     std::string(name_of(one.order)).c_str(), collective_name(one.op),
                     inside::text_of(one.algorithm).c_str(), best,
                     static_cast<unsigned long long>(at));
    }
}

/// Lists the steps for a dry run.
std::string describe_trials(const MeasuredLayout& layout, const std::vector<Trial>& trials,
                            const std::vector<std::uint64_t>& bytes) {
    std::string text = fmt::format("{} nodes x {} ranks, {} steps\n", layout.nodes,
                                   layout.ranks_per_node, trials.size());
    for (const Trial& trial : trials) {
        const std::size_t calls =
            calls_of(trial, bytes, layout.nodes * layout.ranks_per_node).size();
        text += fmt::format("  {}, {} calls, about {:.0f} s\n", describe_trial(trial), calls,
                            static_cast<double>(calls) * inside::seconds_of_call);
    }
    return text;
}

/// Runs one step, and returns what was timed.
/// Errors: those of the step; invalid_input when a call is missing.
Result<TimedTrial> run_trial(const Trial& trial, const std::vector<CallToTime>& calls,
                             const MeasuredLayout& layout, const RunCollectivesStep& step) {
    TimedTrial timed(trial);
    const std::uint32_t ranks = layout.nodes * layout.ranks_per_node;
    Status run = step(
        {trial.order, layout.ranks_per_node, rules_of(trial, ranks), inside::write_calls(calls)},
        [&](const std::string& line) { timed.take(line); });
    if (!run) return run.error();
    if (timed.num_calls() != calls.size()) {
        return Error{Errc::invalid_input, fmt::format("the measuring program timed {} of {} calls",
                                                      timed.num_calls(), calls.size())};
    }
    return timed;
}

/// Writes the times of a layout beside those of other layouts that the file has by now: another
/// calibration may have added one meanwhile.
Status keep_times(const std::string& output, const std::string& library, MeasuredLayout layout) {
    const auto known = times_of(output);
    CollectiveTimes times;
    if (known && known.value() && known.value()->library == library) {
        times = *known.value();
    } else if (known && known.value()) {
        print_notes({fmt::format("the times of {} go: these are of {}",
                                 one_line(known.value()->library, 60), one_line(library, 60))});
    }
    times.library = library;
    times.origin = today() + ", commmap calibrate --collectives";
    const std::string text = text_of(with_layout(std::move(times), std::move(layout)));
    Status written = known ? write_output(output, text) : Status(known.error());
    // What took minutes to measure is not lost with a file that cannot be written.
    if (!written) static_cast<void>(write_output("", text));
    return written;
}

}  // namespace

CLI::Option* add_collectives_options(CLI::App& command, CollectivesArguments& arguments) {
    CLI::Option* collectives = command.add_flag(
        "--collectives", arguments.wanted,
        "time collective calls by several algorithms, for --commmap=auto,inside=collectives");
    command
        .add_option("--ranks-per-node", arguments.ranks_per_node,
                    "time them with so many ranks on each node [1]")
        ->type_name("COUNT")
        ->check(CLI::Range(1U, 1U << 16U))
        ->needs(collectives);
    command
        .add_option("--operations", arguments.operations,
                    "time these operations alone: bcast, allgather, allreduce [all]")
        ->type_name("LIST")
        ->delimiter(',')
        ->check(CLI::IsMember({"bcast", "allgather", "allreduce"}))
        ->needs(collectives);
    command
        .add_option("--bytes", arguments.bytes,
                    "time calls of these bytes [doubling, from 64 B to 4 MiB; allgather: to 256 "
                    "KiB]")
        ->type_name("LIST")
        ->delimiter(',')
        ->check(CLI::Range(std::uint64_t{1}, inside::most_bytes_timed))
        ->needs(collectives);
    return collectives;
}

std::vector<std::string> words_of(const CollectivesArguments& arguments) {
    if (!arguments.wanted) return {};
    std::vector<std::string> words{"--collectives",
                                   fmt::format("--ranks-per-node={}", arguments.ranks_per_node)};
    for (const std::string& operation : arguments.operations)
        words.push_back("--operations=" + operation);
    for (const std::uint64_t bytes : arguments.bytes)
        words.push_back(fmt::format("--bytes={}", bytes));
    return words;
}

Status time_collectives(std::uint32_t num_nodes, const CollectivesArguments& arguments,
                        const std::string& output, bool dry_run, const RunCollectivesStep& step) {
    const std::uint32_t ranks = num_nodes * arguments.ranks_per_node;
    if (ranks < 2) {
        return Error{Errc::invalid_input,
                     "collectives need two ranks or more: ask for more nodes, or --ranks-per-node"};
    }
    std::vector<std::uint64_t> bytes = arguments.bytes;
    std::sort(bytes.begin(), bytes.end());
    bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
    const std::vector<Trial> all = trials(arguments);
    if (Status possible = check_bytes(all, bytes, ranks); !possible) return possible;
    MeasuredLayout layout{num_nodes, arguments.ranks_per_node, {}};
    if (dry_run) return write_output("", describe_trials(layout, all, bytes));
    // Nobody measures for minutes to learn then that the file cannot be read.
    if (const auto known = times_of(output); !known) return known.error();
    std::string library;
    const SignalsHandedOn signals;  // between two steps too
    for (const Trial& trial : all) {
        if (signal_went_on()) return Error{Errc::invalid_input, "a signal ended the measuring"};
        std::fprintf(stderr, "commmap: [%td/%zu] %s\n", &trial - all.data() + 1, all.size(),
                     describe_trial(trial).c_str());
        auto timed = run_trial(trial, calls_of(trial, bytes, ranks), layout, step);
        if (!timed) return timed.error();
        library = timed.value().library();
        for (MeasuredAlgorithm& one : timed.value().measured())
            layout.algorithms.push_back(std::move(one));
    }
    print_gains(layout);
    return keep_times(output, library, std::move(layout));
}

}  // namespace commmap::cli
