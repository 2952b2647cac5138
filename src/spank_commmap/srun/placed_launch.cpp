// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/placed_launch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/handle.hpp"
#include "core/base/number.hpp"
#include "core/config/sources.hpp"
#include "core/plan_reply/plan_reply.hpp"
#include "core/text/node_runs.hpp"
#include "spank_commmap/handover/inside_value.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/handover/pmi2_map.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/process/installed_paths.hpp"
#include "spank_commmap/srun/known_profiles.hpp"
#include "spank_commmap/srun/process/aside.hpp"
#include "spank_commmap/srun/process/working_directory.hpp"

namespace commmap::spank {
namespace {

constexpr std::size_t longest_cpu_sets = 64000;  // one word of a command line is at most 128 KiB

std::string number_text(double number) {
    std::array<char, 64> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
    return {buffer.data(), error == std::errc{} ? end : buffer.data()};
}

std::vector<std::string> planner_command(const Options& options, const StepRequest& request,
                                         const std::string& layout, const LocatedCommand& command,
                                         const std::string& profiles, const ReportRequest& report) {
    std::vector<std::string> argv = {program_of(options), "plan"};
    const auto add = [&](const char* name, std::string value) {
        argv.emplace_back(name);
        argv.push_back(std::move(value));
    };
    add("--ntasks", std::to_string(request.num_tasks));
    add("--nodelist", request.nodelist);
    add("--cpus-per-node", request.cpus_per_node);
    if (request.cpus_per_task != 1) add("--cpus-per-task", std::to_string(request.cpus_per_task));
    if (!layout.empty()) add("--layout", layout);
    Options asked = options;
    asked.profile_dir = profiles;
    // A dry run and a report are about the plan, so no default run is explored.
    if (options.dry_run || report.wanted()) asked.explore_percent = 0.0;
    for (std::string& word : planner_arguments(asked)) argv.push_back(std::move(word));
    // The rest of the time is for reading, for writing, and for moments in which the planner does
    // not look at the clock.
    constexpr double share_for_looking = 0.6;
    add("--budget", number_text(share_for_looking *
                                static_cast<double>(seconds_to_plan(options, request.num_tasks))));
    if (options.verbose) argv.emplace_back("--verbose");
    if (report.wanted()) {
        add("--report", report.file());
        if (!request.binding_left_to.empty())
            add("--left-alone", "CPU binding: " + request.binding_left_to);
    }
    return command.asked_about(std::move(argv));
}

constexpr std::string_view pmi2 = "pmi2";

std::string unhandled_mpi(const std::string& mpi, const char* source) {
    if (mpi.empty() || mpi == pmi2 || mpi.starts_with("pmix")) return "";
    return "--mpi=" + mpi + source + " is not handled, only pmix and pmi2";
}

std::uint32_t job_number() {
    const auto number = parse_number(own_variable("SLURM_JOB_ID").value_or(""));
    return static_cast<std::uint32_t>(number.value_or(0));
}

/// Returns a reason to leave the launch alone that only the controller knows; empty: nothing speaks
/// against it.
/// Fills in the default of `mpi`.
std::string reason_of_controller(const LaunchContext& launch, const StepRequest& request,
                                 const std::optional<ControllerFacts>& facts, std::string& mpi) {
    if (request.beside_others && launch.slurm.running_steps(job_number()) != 0U)
        return "other steps of the job run, and the nodes' free CPUs are not certain";
    if (!facts) return "slurmctld does not say how it is configured";
    if (launch.own_job && facts->inactive_limit != 0) {
        return "InactiveLimit is set, and slurmctld would take a srun that was started again for "
               "gone";
    }
    if (launch.own_job && facts->filters_options)
        return "the site's cli_filter script would look at the second srun, which lacks the first "
               "one's options of the allocation, and might refuse it";
    if (facts->nodes_ranked) {
        return "Slurm ranks nodes by their switches here, and may take another node's cores for a "
               "changed order";
    }
    if (launch.own_job && facts->step_ports)
        return "MpiParams reserves ports, and srun's first step keeps them";
    if (!mpi.empty()) return "";
    mpi = facts->mpi_default;
    return unhandled_mpi(mpi, " (MpiDefault)");
}

/// Hands on which ranks share a node, where Slurm itself tells MPICH that no ranks do.
/// Returns why that cannot be done, or nothing.
std::string reason_of_pmi2(const SlurmRules& rules, const PlanReply& reply) {
    if (!rules.pmi2_loses_nodes) return "";
    const auto map = pmi2_map(reply.node_of_rank);
    if (!map) return "the order of ranks is too long for PMI-2's process mapping";
    ::setenv(pmi2_map_variable, map->c_str(), 1);
    return "";
}

/// Returns the second srun's --commmap.
PlacedValue placed_value(const LaunchContext& launch, const StepRequest& request,
                         const CpuSetTable& cpu_sets) {
    PlacedValue value{launch.options.verbose, ""};
    const auto leave_binding = [&](const std::string& why) {
        if (launch.options.verbose) launch.tell("CPU binding is left to Slurm: " + why);
    };
    if (!request.binding_left_to.empty()) {
        leave_binding(request.binding_left_to);
        return value;
    }
    value.cpu_sets = cpu_sets.text_of_used_nodes();
    if (value.cpu_sets.size() > longest_cpu_sets) {
        leave_binding("the node patterns are too many to hand on");
        value.cpu_sets.clear();
    }
    return value;
}

void decline_launch(const LaunchContext& launch, const std::string& reason) {
    launch.run.note_plan("");  // the planned placement is not the one that runs
    launch.report.note_declined(reason);
    launch.tell(left_alone(reason));
}

}  // namespace

std::string left_alone(const std::string& reason) {
    return reason + "; launching as without commmap";
}

namespace {

/// The planner's answer, apply or keep. Without an answer the launch stays as it is, and the user
/// has been told why.
struct Planned {
    PlanReply reply;
    std::optional<ControllerFacts> facts;  ///< if the controller was asked
};

/// Returns the first directory that cannot be opened in time, or nothing. All together have
/// longest_for_directory. The planner would wait for such a directory as long as it may take, which
/// is many seconds in large jobs.
std::string silent_directory(const std::vector<std::string>& directories) {
    using std::chrono::steady_clock;
    const auto end = steady_clock::now() + longest_for_directory;
    for (const std::string& directory : directories) {
        // An error is an answer, too.
        const auto answers = [&] {
            return static_cast<bool>(
                FileDescriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
        };
        const auto left = std::max(
            std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now()),
            std::chrono::milliseconds{0});
        if (!directory.empty() && !ask_aside(left, answers)) return directory;
    }
    return "";
}

std::optional<Planned> ask_planner(const LaunchContext& launch, const StepRequest& request) {
    const auto decline = [&](const std::string& reason) -> std::optional<Planned> {
        decline_launch(launch, reason);
        return std::nullopt;
    };
    const auto command = locate(request.words, request.directory, working_directory(),
                                own_variable("PATH").value_or(""));
    if (!command) return decline(command.error().message);
    const auto profiles = profile_directory(launch.options);
    if (!profiles) return decline(profiles.error().message);
    if (const std::string silent =
            silent_directory({profiles.value(), launch.options.site_profiles});
        !silent.empty())
        return decline("'" + silent + "' did not answer in time");

    std::optional<ControllerFacts> facts;
    std::string layout = request.layout;
    if (layout.empty() && launch.slurm.own_rules().topology_order) {
        facts = launch.slurm.controller_facts();
        if (facts && facts->block_in_topology_order) layout = "topology";
    }
    const LongWord layout_word = long_word(std::move(layout));
    const std::vector<std::string> argv =
        planner_command(launch.options, request, layout_word.word, command.value(),
                        profiles.value(), launch.report);
    const ProgramResult planned =
        run_limited(argv,
                    {.seconds = seconds_to_plan(launch.options, request.num_tasks),
                     .memory_mib = launch.options.plan_memory_mib,
                     // a planner that has answered may still be storing the plan
                     .is_complete = is_whole_reply},
                    launch.taken, layout_word.input);
    if (planned.end == ProgramResult::End::interrupted) {
        // The signal stays pending, or is sent again: srun asks for a second interrupt, as without
        // commmap.
        end_by_signal(planned.signal);
        return std::nullopt;
    }
    if (planned.end == ProgramResult::End::failed)
        return decline("planning with '" + argv.front() + "' " + planned.reason);
    auto reply = parse_plan_reply(planned.output);
    if (!reply) return decline(reply.error().message);
    for (const std::string& line : reply.value().lines) launch.tell(line);
    if (reply.value().report_written) launch.report.note_written();
    if (reply.value().decision == PlanReply::Decision::decline) return std::nullopt;
    launch.run.note_plan(reply.value().record);
    return Planned{std::move(reply).value(), std::move(facts)};
}

/// Hands what runs inside the tasks over to them, in srun's environment.
void hand_over_inside(const LaunchContext& launch, const PlanReply& reply) {
    if (reply.inside.empty() || launch.options.dry_run) return;
    const InsideValue value{launch.options.verbose, reply.inside};
    ::setenv(inside_variable, format_inside_value(value).c_str(), 1);
}

/// What became of a step whose order and CPUs stay Slurm's.
Binding kept(const LaunchContext& launch, const PlanReply& reply) {
    hand_over_inside(launch, reply);
    return reply.inside.empty() ? Binding::kept : Binding::kept_around_inside;
}

}  // namespace

Binding plan_and_bind(const LaunchContext& launch, const StepRequest& request) {
    auto planned = ask_planner(launch, request);
    if (!planned) return Binding::declined;
    if (planned->reply.decision == PlanReply::Decision::keep) return kept(launch, planned->reply);
    if (format_node_runs(planned->reply.node_of_rank) != request.layout) {
        decline_launch(launch, "the plan does not keep the order");
        return Binding::declined;
    }
    const PlacedValue value = placed_value(launch, request, planned->reply.cpu_sets);
    if (value.cpu_sets.empty()) {
        launch.run.note_plan("");
        return kept(launch, planned->reply);
    }
    hand_over_inside(launch, planned->reply);
    ::setenv(placed_variable, format_placed_value(value).c_str(), 1);
    return Binding::planned;
}

void plan_and_relaunch(const LaunchContext& launch, const StepRequest& request) {
    const auto decline = [&](const std::string& reason) { decline_launch(launch, reason); };
    if (const std::string reason = unhandled_mpi(request.mpi, ""); !reason.empty())
        return decline(reason);
    auto planned = ask_planner(launch, request);
    if (!planned) return;
    if (planned->reply.decision == PlanReply::Decision::keep)
        return hand_over_inside(launch, planned->reply);
    const PlanReply& reply = planned->reply;
    std::optional<ControllerFacts>& facts = planned->facts;
    std::string mpi = request.mpi;
    if (!facts) facts = launch.slurm.controller_facts();
    if (const std::string reason = reason_of_controller(launch, request, facts, mpi);
        !reason.empty())
        return decline(reason);
    const auto hosts = check_placement(reply, request.nodes, request.num_tasks);
    if (!hosts) return decline(hosts.error().message);
    const PlacedValue value = placed_value(launch, request, reply.cpu_sets);
    std::string content;
    for (const std::string& host : hosts.value()) content += host + '\n';
    const auto file = hostfile_in_memory(content);
    if (!file) return decline(file.error().message);

    if (launch.options.dry_run) return;
    // The interrupt came after the planner ended. srun gets it again, and asks for a second one.
    if (launch.taken != nullptr && EndingSignals::interrupted()) return;
    if (mpi == pmi2) {
        if (const std::string reason = reason_of_pmi2(launch.slurm.own_rules(), reply);
            !reason.empty())
            return decline(reason);
    }
    if (launch.own_job) ::setenv(own_job_variable, "1", 1);
    if (launch.report.written()) ::setenv(ReportRequest::variable, launch.report.file().c_str(), 1);
    if (launch.run.wanted()) ::setenv(RunWatch::variable, launch.run.text().c_str(), 1);
    hand_over_inside(launch, reply);
    const std::vector<std::string> again = placed_command_line(
        launch.args, request.num_tasks, format_placed_value(value), launch.own_job.has_value());
    const Error failed =
        relaunch(launch.args, again, file.value(), launch.own_job, launch.at_start);
    ::unsetenv(inside_variable);
    ::unsetenv(pmi2_map_variable);
    ::unsetenv(own_job_variable);
    ::unsetenv(ReportRequest::variable);
    ::unsetenv(RunWatch::variable);
    decline(failed.message);
}

}  // namespace commmap::spank
