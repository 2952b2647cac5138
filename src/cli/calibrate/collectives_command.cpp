// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/collectives_command.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "cli/calibrate/calibration_text.hpp"
#include "cli/calibrate/measuring_step.hpp"
#include "cli/command.hpp"
#include "core/inside/choices.hpp"
#include "core/inside/choose_rules.hpp"
#include "core/inside/timed_calls.hpp"
#include "core/text/one_line.hpp"

namespace commmap::cli {
namespace {

using inside::AlgorithmKind;
using inside::CollectiveTimes;
using inside::MeasuredAlgorithm;
using inside::MeasuredLayout;
using inside::RankOrder;

std::uint32_t ranks_of(const MeasuredLayout& layout) {
    return layout.nodes * layout.ranks_per_node;
}

Error ended_by_signal() { return Error{Errc::invalid_input, "a signal ended the measuring"}; }

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

/// Refuses settings by which native calls would not be those of other users.
Status check_environment() {
    constexpr std::string_view setting = "OMPI_MCA_coll_tuned_";
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        if (!text.starts_with(setting)) continue;
        return Error{Errc::invalid_input,
                     fmt::format("{} is set, so native calls would run by that setting: unset it",
                                 one_line(text.substr(0, text.find('=')), 100))};
    }
    return Ok{};
}

std::vector<std::string> operation_names() {
    std::vector<std::string> names;
    names.reserve(inside::all_operations.size());
    for (const CollectiveOp op : inside::all_operations) names.emplace_back(collective_name(op));
    return names;
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
                     inside::text_of(one.op, one.algorithm).c_str(), best,
                     static_cast<unsigned long long>(at));
    }
}

/// Lists the steps for a dry run.
std::string describe_trials(const MeasuredLayout& layout,
                            const std::vector<CollectivesTrial>& trials,
                            const std::vector<std::uint64_t>& bytes) {
    std::string text = fmt::format("{} nodes x {} ranks, {} steps\n", layout.nodes,
                                   layout.ranks_per_node, trials.size());
    for (const CollectivesTrial& trial : trials) {
        const std::size_t calls = calls_of(trial, bytes, ranks_of(layout)).size();
        text += fmt::format("  {}, {} calls, about {:.0f} s\n", describe(trial), calls,
                            static_cast<double>(calls) * inside::seconds_of_call);
    }
    return text + "then what is chosen in each order, again\n";
}

/// A chosen algorithm for a measured call in one order of ranks.
using Choice = std::tuple<RankOrder, CollectiveOp, std::uint64_t, std::string>;

/// Keeps the worse of two measurements of a call.
void keep_worse(MeasuredLayout& layout, RankOrder order, const inside::Rule& rule,
                const inside::TimedCall& timed) {
    for (MeasuredAlgorithm& one : layout.algorithms) {
        if (one.op != rule.op || one.order != order || one.algorithm != rule.algorithm) continue;
        for (inside::MeasuredCall& call : one.calls) {
            const inside::MeasuredCall again = summary_of(timed);
            if (call.bytes == again.bytes && again.least_gain < call.least_gain) call = again;
        }
    }
}

/// Times what would be chosen in one order of ranks in a step of its own, until that step and the
/// first one agree on all that is chosen. Times of two steps differ by more than their intervals
/// say: a ring took 4.5 ms in one and 8.3 ms in another one.
/// @param confirmed  what was timed again before; gets what is timed again here
Status confirm_choices(const RunCollectivesStep& step, RankOrder order, MeasuredLayout& layout,
                       std::set<Choice>& confirmed) {
    for (;;) {
        const inside::StepLayout asked{layout.nodes, layout.ranks_per_node, order};
        const auto chosen = inside::choose_rules({"", "", {layout}}, asked);
        if (!chosen) return chosen.error();
        std::vector<inside::Rule> rules;
        std::vector<inside::Rule> timed_rules;
        std::vector<inside::CallToTime> calls;
        for (const inside::ChosenRule& one : chosen.value()) {
            const inside::Rule& rule = one.rule;
            rules.push_back(rule);
            if (rule.algorithm.kind == AlgorithmKind::native) continue;
            Choice choice(order, rule.op, rule.from_bytes,
                          inside::text_of(rule.op, rule.algorithm));
            if (!confirmed.insert(std::move(choice)).second) continue;
            timed_rules.push_back(rule);
            calls.push_back({rule.op, rule.from_bytes});
        }
        if (calls.empty()) return Ok{};
        if (signal_went_on()) return ended_by_signal();
        std::fprintf(stderr, "commmap: %s: calls of what is chosen, again: %zu\n",
                     std::string(name_of(order)).c_str(), calls.size());
        const auto timed = time_calls(step, order, layout.ranks_per_node, rules, calls);
        if (!timed) return timed.error();
        for (std::size_t c = 0; c < calls.size(); ++c)
            keep_worse(layout, order, timed_rules[c], timed.value().calls[c]);
    }
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
    Status written = known ? Status(Ok{}) : Status(known.error());
    if (text.size() > inside::most_bytes_of_times) {
        written = Error{Errc::invalid_input,
                        fmt::format("{}: with one more layout the file would be longer than {} "
                                    "bytes; name another file with --output",
                                    one_line(output, 200), inside::most_bytes_of_times)};
    }
    if (written) written = write_output(output, text);
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
                    "time these operations alone: bcast, allgather, allreduce, reduce, alltoall "
                    "[all]")
        ->type_name("LIST")
        ->delimiter(',')
        ->check(CLI::IsMember(operation_names()))
        ->needs(collectives);
    command
        .add_option("--bytes", arguments.bytes,
                    "time calls of these bytes [doubling, from 64 B to 4 MiB; allgather and "
                    "alltoall: to 256 KiB]")
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
    const std::vector<CollectivesTrial> all = collective_trials(arguments.operations);
    for (const CollectivesTrial& trial : all) {
        if (Status possible = check_bytes(trial, bytes, ranks); !possible) return possible;
    }
    MeasuredLayout layout{num_nodes, arguments.ranks_per_node, {}};
    if (dry_run) return write_output("", describe_trials(layout, all, bytes));
    if (Status possible = check_environment(); !possible) return possible;
    // Nobody measures for minutes to learn then that the file cannot be read.
    if (const auto known = times_of(output); !known) return known.error();
    std::string library;
    const SignalsHandedOn signals;  // between two steps too
    for (const CollectivesTrial& trial : all) {
        if (signal_went_on()) return ended_by_signal();
        std::fprintf(stderr, "commmap: [%td/%zu] %s\n", &trial - all.data() + 1, all.size(),
                     describe(trial).c_str());
        auto measured = run_trial(step, trial, ranks, layout.ranks_per_node,
                                  calls_of(trial, bytes, ranks), library);
        if (!measured) return measured.error();
        for (MeasuredAlgorithm& one : measured.value()) layout.algorithms.push_back(std::move(one));
    }
    // A short call is chosen by its gains in both orders. So one may change the other's choice.
    std::set<Choice> confirmed;
    for (std::size_t before = 1; before != confirmed.size();) {
        before = confirmed.size();
        for (const RankOrder order : {RankOrder::block, RankOrder::cyclic}) {
            if (Status done = confirm_choices(step, order, layout, confirmed); !done) return done;
        }
    }
    print_gains(layout);
    return keep_times(output, library, std::move(layout));
}

}  // namespace commmap::cli
