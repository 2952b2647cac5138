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

/// What a sub-command leaves behind when its arguments are parsed: the work, run after all parsing
/// is done. The work returns an Error for main to print; it writes its results to standard output
/// itself.
using Action = std::function<Status()>;

/// What the value of an option can be, where that is one of a few words.
using WordLists = std::map<const CLI::Option*, std::vector<std::string>>;

/// What every sub-command shares.
struct Context {
    Options options;  ///< defaults and environment; the command line is laid over it while parsing
    Action action;
    int exit_code = 0;  ///< of a command that did its work and found something wrong
    WordLists words;    ///< for completion
};

/// One sub-command: adds itself to the parser. main.cpp has the table.
void add_profile_command(CLI::App& app, Context& context);
void add_topology_command(CLI::App& app, Context& context);
void add_map_command(CLI::App& app, Context& context);
void add_estimate_command(CLI::App& app, Context& context);
void add_plan_command(CLI::App& app, Context& context);
void add_launch_report_command(CLI::App& app, Context& context);
void add_where_command(CLI::App& app, Context& context);
void add_history_command(CLI::App& app, Context& context);
/// After all others: it writes down what there is.
void add_completion_command(CLI::App& app, Context& context);

/// Adds the named rows of the option table to a sub-command; setting them changes context.options.
void add_table_options(CLI::App& command, Context& context,
                       std::initializer_list<std::string_view> names);

/// Adds the rows that the plugin gives the planner, but for those that the sub-command has already.
void add_planner_options(CLI::App& command, Context& context);

/// --format: one of `names`, or "help"; another is refused with the nearest and `list`.
CLI::Option* add_format_option(CLI::App& command, Context& context, std::string& format,
                               const std::string& help, const std::vector<std::string>& names,
                               const std::string& list);

/// The names of the mapper table, for completion.
[[nodiscard]] std::vector<std::string> mapper_names();

/// One line on standard error each: what the user should know beside the result.
void print_notes(const std::vector<std::string>& notes);

/// With a line end after each.
[[nodiscard]] std::string text_of(const std::vector<std::string>& lines);

/// Writes to a file ("-" or empty: standard output), whole or not at all; never in place of a
/// device, a FIFO or a directory.
[[nodiscard]] Status write_output(const std::string& path, const std::string& text);

}  // namespace commmap::cli
