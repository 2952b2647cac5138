#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/config/options.hpp"

namespace commmap::cli {

/// What a sub-command leaves behind when its arguments are parsed: the work, run after all parsing
/// is done. The work returns an Error for main to print; it writes its results to standard output
/// itself.
using Action = std::function<Status()>;

/// What every sub-command shares.
struct Context {
    Options options;  ///< defaults and environment; the command line is laid over it while parsing
    Action action;
};

/// One sub-command: adds itself to the parser. main.cpp has the table.
void add_profile_command(CLI::App& app, Context& context);
void add_topology_command(CLI::App& app, Context& context);
void add_map_command(CLI::App& app, Context& context);
void add_estimate_command(CLI::App& app, Context& context);
void add_plan_command(CLI::App& app, Context& context);

/// Adds the named rows of the option table to a sub-command; setting them changes context.options.
void add_table_options(CLI::App& command, Context& context,
                       std::initializer_list<std::string_view> names);

/// One line on standard error each: what the user should know beside the result.
void print_notes(const std::vector<std::string>& notes);

/// Writes to a file ("-" or empty: standard output), whole or not at all.
[[nodiscard]] Status write_output(const std::string& path, const std::string& text);

}  // namespace commmap::cli
