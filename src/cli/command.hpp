// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/config/options.hpp"

namespace commmap::cli {

/// Work of a sub-command, which it leaves behind when its arguments are parsed. The work runs after
/// all parsing is done.
/// It writes its results to standard output itself, and returns an Error for main to print.
using Action = std::function<Status()>;

/// Possible values of those options that take one of a few words.
using WordLists = std::map<const CLI::Option*, std::vector<std::string>>;

/// Data that all sub-commands share.
struct Context {
    Options options;  ///< defaults and environment; parsing adds the command line
    Action action;
    int exit_code = 0;  ///< of a command that did its work and found something wrong
    WordLists words;    ///< for completion
};

/// Each of these functions adds one sub-command to the parser. main.cpp has the table.
void add_profile_command(CLI::App& app, Context& context);
void add_topology_command(CLI::App& app, Context& context);
void add_calibrate_command(CLI::App& app, Context& context);
void add_map_command(CLI::App& app, Context& context);
void add_estimate_command(CLI::App& app, Context& context);
void add_plan_command(CLI::App& app, Context& context);
void add_launch_report_command(CLI::App& app, Context& context);
void add_where_command(CLI::App& app, Context& context);
void add_history_command(CLI::App& app, Context& context);
void add_analyze_command(CLI::App& app, Context& context);
/// Must be called after all others, for it writes down all commands.
void add_completion_command(CLI::App& app, Context& context);

/// Adds the named rows of the option table to a sub-command. Setting them changes context.options.
void add_table_options(CLI::App& command, Context& context,
                       std::initializer_list<std::string_view> names);

/// Adds the rows that the plugin gives to the planner, but for those that the sub-command has
/// already.
void add_planner_options(CLI::App& command, Context& context);

/// Adds --format with one of `names`, or "help". Another word is refused, with the nearest name and
/// `list`.
CLI::Option* add_format_option(CLI::App& command, Context& context, std::string& format,
                               const std::string& help, const std::vector<std::string>& names,
                               const std::string& list);

/// Returns the names of the mapper table, for completion.
[[nodiscard]] std::vector<std::string> mapper_names();

/// Prints notes to standard error, one line each.
void print_notes(const std::vector<std::string>& notes);

/// Returns the lines with a line end after each.
[[nodiscard]] std::string text_of(const std::vector<std::string>& lines);

/// Writes a text to a file ("-" or empty: standard output), whole or not at all. Never replaces a
/// device, a FIFO or a directory.
[[nodiscard]] Status write_output(const std::string& path, const std::string& text);

}  // namespace commmap::cli
