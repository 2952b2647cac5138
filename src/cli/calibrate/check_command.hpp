// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "core/calibration/check/check_plan.hpp"
#include "core/topology/allocation.hpp"
#include "core/topology/cluster.hpp"

namespace commmap::cli {

/// Arguments of `commmap calibrate --check`.
struct CheckArguments {
    bool wanted = false;
    bool json = false;
    std::uint32_t at_once = any_number_at_once;
};

/// Adds --check, --at-once and --json. Returns the first.
CLI::Option* add_check_options(CLI::App& command, CheckArguments& arguments);

/// Returns the arguments as words of a command line; none without a check.
[[nodiscard]] std::vector<std::string> words_of(const CheckArguments& arguments);

/// Runs the measuring program once.
/// @param input    its series
/// @param on_line  gets each line that it prints
using MeasuringStep =
    std::function<Status(const std::string& input, const std::function<void(const std::string&)>&)>;

/// Gets the JSON of what a check found.
using OnReport = std::function<Status(const std::string& found)>;

/// Measures every node and uplink, measures again what was slow, and prints what was slow twice.
/// With dry_run, prints what would be measured.
/// @param on_report  is called after the report is printed
/// @param exit_code  gets 1 when there is an outlier
/// Errors: those of the measuring step and of on_report; invalid_input when a part was not measured
/// and nothing was found.
[[nodiscard]] Status check_links(const Cluster& cluster, const Allocation& allocation,
                                 const CheckArguments& arguments, bool dry_run,
                                 const MeasuringStep& step, const OnReport& on_report,
                                 int& exit_code);

/// Prints an error of a check. Whoever runs checks by the clock tells a failed one from one that
/// found something, so its exit code is 2.
[[nodiscard]] Status could_not_check(const Status& status, int& exit_code);

}  // namespace commmap::cli
