// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "core/config/sources.hpp"
#include "core/text/suggest.hpp"

namespace commmap::cli {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

void complain(const std::string& message) {
    std::fprintf(stderr, "commmap: %s\n", message.c_str());
}

/// Returns what the user probably meant. CLI11 itself says which words it did not expect.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& unexpected) {
    if (unexpected.empty()) return {};
    // The plugin of commmap 0.1 used this name.
    if (app.get_subcommands().empty() && unexpected.front() == "report")
        return ": it is called 'launch-report' now";
    std::vector<std::string> known;
    const CLI::App* deepest = &app;
    while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
    for (const CLI::App* command : deepest->get_subcommands([](const CLI::App*) { return true; }))
        known.push_back(command->get_name());
    for (const CLI::Option* option : deepest->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    return did_you_mean(unexpected.front(), names);
}

/// Returns the error text for a command of commands without a command, or with an unknown one.
std::string missing(const CLI::App& app, const CLI::RequiredError& error) {
    const CLI::App* deepest = &app;
    while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
    std::string known;
    for (const CLI::App* command : deepest->get_subcommands([](const CLI::App*) { return true; }))
        known += (known.empty() ? "" : ", ") + command->get_name();
    if (known.empty()) return error.what();
    const std::vector<std::string> unexpected = app.remaining(true);
    return fmt::format(
        "'{}' needs a command{}{} ({})", deepest->get_name(),
        unexpected.empty() ? "" : fmt::format(", and has none called '{}'", unexpected.front()),
        suggestion(app, unexpected), known);
}

int run(int argc, char** argv) {
    CLI::App app{
        "Puts MPI ranks where their messages are cheap: profiles, topologies, placements and their "
        "cost.\n"
        "For a job: srun --commmap=profile ./app, then srun --commmap=auto ./app"};
    app.name("commmap");
    app.set_version_flag("--version", std::string("commmap ") + COMMMAP_VERSION);
    app.require_subcommand(0, 1);
    app.failure_message(
        [](const CLI::App*, const CLI::Error& error) { return std::string(error.what()); });

    Context context;
    for (const Error& error : read_environment(context.options)) complain(error.message);
    add_profile_command(app, context);
    add_topology_command(app, context);
    add_calibrate_command(app, context);
    add_map_command(app, context);
    add_estimate_command(app, context);
    add_plan_command(app, context);
    add_launch_report_command(app, context);
    add_where_command(app, context);
    add_history_command(app, context);
    add_analyze_command(app, context);
    add_completion_command(app, context);

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::CallForAllHelp&) {
        std::fputs(app.help("", CLI::AppFormatMode::All).c_str(), stdout);
        return 0;
    } catch (const CLI::CallForVersion& version) {
        std::printf("%s\n", version.what());
        return 0;
    } catch (const CLI::ExtrasError& error) {
        const auto used = app.get_subcommands();
        complain(fmt::format("{}{} (commmap {}--help lists all options)", error.what(),
                             suggestion(app, app.remaining(true)),
                             used.empty() ? "" : used.front()->get_name() + ' '));
        return exit_usage;
    } catch (const CLI::RequiredError& error) {
        complain(missing(app, error));
        return exit_usage;
    } catch (const CLI::ParseError& error) {
        complain(error.what());
        return exit_usage;
    }
    if (!context.action) {
        std::fputs(app.help().c_str(), argc > 1 ? stderr : stdout);
        return argc > 1 ? exit_usage : 0;
    }
    if (const Status status = context.action(); !status) {
        complain(status.error().message);
        return exit_failed;
    }
    return context.exit_code;
}

}  // namespace
}  // namespace commmap::cli

int main(int argc, char** argv) {
    try {
        return commmap::cli::run(argc, argv);
    } catch (const std::bad_alloc&) {
        commmap::cli::complain(
            "out of memory (srun's planner: raise plan-memory, see docs/admin/admin.md)");
    } catch (const std::exception& error) {
        commmap::cli::complain(std::string("internal error: ") + error.what());
    }
    return commmap::cli::exit_failed;
}
