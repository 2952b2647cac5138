// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/check_command.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "cli/calibrate/check_text.hpp"
#include "core/calibration/check/check_judge.hpp"
#include "core/calibration/check/second_plan.hpp"
#include "core/calibration/measuring_text.hpp"

namespace commmap::cli {
namespace {

constexpr int exit_outlier = 1;
constexpr int exit_not_measured = 2;

/// A measurement, and how its step ended.
struct Measurement {
    std::vector<Measured> all;
    Status ended = Ok{};
};

/// Runs a plan. Who watches sees how far it is; cron would send such lines by mail.
Measurement measure(const CheckPlan& plan, const Allocation& allocation,
                    const MeasuringStep& step) {
    Measurement measurement;
    const bool watched = ::isatty(STDERR_FILENO) == 1;
    measurement.ended = step(write_series(named(plan, allocation)), [&](const std::string& line) {
        auto measured = read_measured(line);
        if (!measured || measured->series >= plan.series.size()) return;
        const bool next =
            measurement.all.empty() || measurement.all.back().series != measured->series;
        if (watched && next) {
            std::fprintf(stderr, "commmap: [%u/%zu] %s\n", measured->series + 1, plan.series.size(),
                         describe_series(plan.series[measured->series], allocation).c_str());
        }
        measurement.all.push_back(*std::move(measured));
    });
    return measurement;
}

}  // namespace

CLI::Option* add_check_options(CLI::App& command, CheckArguments& arguments) {
    CLI::Option* check = command.add_flag(
        "--check", arguments.wanted,
        "measure every node and uplink once, and name those that are slow: exit code 1");
    command
        .add_option("--at-once", arguments.at_once,
                    "check so many pairs of nodes at once; default: all")
        ->type_name("PAIRS")
        ->check(CLI::PositiveNumber)
        ->needs(check);
    command.add_flag("--json", arguments.json, "print what the check found as JSON")->needs(check);
    return check;
}

std::vector<std::string> words_of(const CheckArguments& arguments) {
    if (!arguments.wanted) return {};
    std::vector<std::string> words{"--check"};
    if (arguments.json) words.emplace_back("--json");
    if (arguments.at_once != any_number_at_once) {
        words.push_back(fmt::format("--at-once={}", arguments.at_once));
    }
    return words;
}

namespace {

Status check_and_report(const Cluster& cluster, const Allocation& allocation,
                        const CheckArguments& arguments, bool dry_run, const MeasuringStep& step,
                        const OnReport& on_report, int& exit_code) {
    if (allocation.nodes.size() < 2) {
        return Error{Errc::invalid_input,
                     "a job of one node has no link to check: ask for two nodes or more (-N 2)"};
    }
    const auto found_places = NodePlaces::find(cluster, allocation);
    if (!found_places) return found_places.error();
    const NodePlaces& places = found_places.value();
    const CheckPlan plan = plan_check(cluster, places, arguments.at_once);
    if (dry_run) return write_output("", describe_check(plan, allocation));

    const auto begin = std::chrono::steady_clock::now();
    Measurement first = measure(plan, allocation, step);
    if (!first.ended && first.all.empty()) return first.ended;
    const CheckValues values(plan, first.all);
    const References references(cluster, places, plan, values);
    const Suspects suspects = find_suspects(plan, values, references);
    Measurement second;
    CheckPlan again;
    if (!suspects.empty() && first.ended) {
        again = plan_second(cluster, places, plan, suspects, arguments.at_once);
        second = measure(again, allocation, step);
    }
    const CheckValues second_values(again, second.all);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const CheckReport report{
        values.count_nodes(),
        values.count_uplinks(plan),
        seconds.count(),
        values.complete() && second_values.complete() && first.ended && second.ended,
        judge(cluster, places, plan, values, references, suspects, again, second_values),
        not_tested(cluster, allocation, plan, references, suspects, again)};
    const std::string found = json_of_check(cluster, allocation, report);
    if (Status written =
            write_output("", arguments.json ? found : text_of_check(cluster, allocation, report));
        !written) {
        return written;
    }
    // Only what was printed counts: else exit code 1 would have no line that says why.
    if (!report.outliers.empty()) exit_code = exit_outlier;
    Status handed_on = on_report(found);
    if (!first.ended) return first.ended;
    if (!second.ended) return second.ended;
    if (!report.complete) {
        return Error{Errc::invalid_input, "the measuring program left out a part of the check"};
    }
    return handed_on;
}

}  // namespace

Status check_links(const Cluster& cluster, const Allocation& allocation,
                   const CheckArguments& arguments, bool dry_run, const MeasuringStep& step,
                   const OnReport& on_report, int& exit_code) {
    // main() would end with exit code 1, which means that an outlier was named.
    try {
        return check_and_report(cluster, allocation, arguments, dry_run, step, on_report,
                                exit_code);
    } catch (const std::exception& error) {
        return Error{Errc::invalid_input, fmt::format("internal error: {}", error.what())};
    }
}

Status could_not_check(const Status& status, int& exit_code) {
    if (status) return status;
    std::fprintf(stderr, "commmap: %s\n", status.error().message.c_str());
    // What was found before a step ended early is found.
    if (exit_code == 0) exit_code = exit_not_measured;
    return Ok{};
}

}  // namespace commmap::cli
