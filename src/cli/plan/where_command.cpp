// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/plan/launch_report.hpp"
#include "core/base/number.hpp"
#include "core/config/sources.hpp"
#include "core/cpus/hwloc_cpus.hpp"
#include "core/cpus/task_cpus.hpp"
#include "core/text/ranges.hpp"
#include "core/text/slurm_step.hpp"
#include "core/text/text_table.hpp"

namespace commmap::cli {
namespace {

struct WhereArguments {
    std::string report;
    std::string command;  ///< the plugin reads it
};

/// A task of a step, by its own environment.
struct Task {
    std::size_t rank = 0;
    std::string node;
    CpuSet cpus;
};

/// Returns this task; nullopt in a batch script, an interactive shell, or outside Slurm.
std::optional<Task> own_task() {
    const auto step = parse_number(own_variable("SLURM_STEP_ID").value_or(""));
    const auto rank = parse_number(own_variable("SLURM_PROCID").value_or(""));
    if (!step || !is_normal_step(*step) || !rank) return std::nullopt;
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
    const auto cpus = current_cpus();
    return Task{*rank, own_variable("SLURMD_NODENAME").value_or(host.data()),
                cpus ? cpus.value() : CpuSet{}};
}

std::string ranges(const CpuSet& cpus) {
    std::string text;
    for (const std::string& range : ranges_of(cpus)) text += (text.empty() ? "" : ",") + range;
    return text;
}

/// Returns the CPUs that a rank was to get, counted among the CPUs that Slurm gave the step on this
/// node. Only Slurm's masks tell these CPUs.
/// nullopt: they are not known.
std::optional<CpuSet> planned_cpus(const std::vector<PlannedRank>& planned, std::size_t rank) {
    const auto type = own_variable("SLURM_CPU_BIND_TYPE").value_or("");
    if (type.find("mask_cpu") == std::string::npos) return std::nullopt;
    const auto masks = parse_cpu_masks(own_variable("SLURM_CPU_BIND_LIST").value_or(""));
    if (!masks) return std::nullopt;
    std::vector<std::uint32_t> cpu_sets;  // those of the node's tasks, in rank order
    std::size_t local_id = 0;
    for (std::size_t other = 0; other < planned.size(); ++other) {
        if (planned[other].node != planned[rank].node) continue;
        if (planned[other].cpu_set_index < 0) return std::nullopt;
        if (other == rank) local_id = cpu_sets.size();
        cpu_sets.push_back(static_cast<std::uint32_t>(planned[other].cpu_set_index));
    }
    const auto each = parse_number(own_variable("SLURM_CPUS_PER_TASK").value_or("1"));
    const auto node = cpus_of_this_node();
    if (!node) return std::nullopt;
    const auto cpus_per_task =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(each.value_or(1), 0xffff));
    const auto cpus =
        cpus_of_task(node.value(), masks.value(), {}, {cpus_per_task, cpu_sets, local_id});
    if (!cpus) return std::nullopt;
    return cpus.value();
}

Result<std::vector<PlannedRank>> planned_in(const std::string& file) {
    const auto report = read_report(file);
    if (!report) return report.error();
    auto planned = planned_ranks(report.value());
    if (!planned) return prefixed("'" + file + "'", planned.error());
    return planned;
}

Status show_task(const Task& task, const std::string& file, int& exit_code) {
    const std::string line =
        fmt::format("rank {:<5} {:<8} CPUs {:<8}", task.rank, task.node, ranges(task.cpus));
    if (file.empty()) return write_output("", line + '\n');
    const auto planned = planned_in(file);
    if (!planned) return planned.error();
    if (planned.value().empty()) return write_output("", line + " not planned\n");
    if (task.rank >= planned.value().size()) {
        return Error{
            Errc::invalid_input,
            fmt::format(
                "'{}' is the report of a step with {} ranks; this task is rank {} of another step",
                file, planned.value().size(), task.rank)};
    }
    const PlannedRank& plan = planned.value()[task.rank];
    const auto cpus = planned_cpus(planned.value(), task.rank);
    const bool right = plan.node == task.node && (!cpus || *cpus == task.cpus);
    if (!right) exit_code = 1;
    return write_output("", fmt::format("{} planned {:<8} CPUs {:<8} {}\n", line, plan.node,
                                        cpus ? ranges(*cpus) : "any", right ? "ok" : "DIFFERENT"));
}

Status show_report(const std::string& file, int& exit_code) {
    const auto report = read_report(file);
    if (!report) return report.error();
    const auto planned = planned_in(file);
    if (!planned) return planned.error();
    const auto string_at = [&](const char* key) {
        const auto value = report.value().find(key);
        return value != report.value().end() && value->is_string() ? value->get<std::string>() : "";
    };
    std::string text = string_at("decision") + ": " + string_at("reason") + '\n';
    if (planned.value().empty()) return write_output("", text);
    std::vector<std::vector<std::string>> rows = {
        {"rank", "by Slurm", "planned", "CPU set", "launched"}};
    for (std::size_t rank = 0; rank < planned.value().size(); ++rank) {
        const PlannedRank& row = planned.value()[rank];
        const bool different = !row.launched.empty() && row.launched != row.node;
        if (different) exit_code = 1;
        rows.push_back(
            {std::to_string(rank), row.by_slurm, row.node,
             row.cpu_set_index < 0 ? "any" : std::to_string(row.cpu_set_index),
             row.launched.empty() ? "-" : row.launched + (different ? " DIFFERENT" : "")});
    }
    return write_output("", text + text_of(aligned(rows)));
}

Status where(const WhereArguments& arguments, int& exit_code) {
    if (const auto task = own_task(); task) return show_task(*task, arguments.report, exit_code);
    if (!arguments.report.empty()) return show_report(arguments.report, exit_code);
    return Error{Errc::invalid_input,
                 "not in a task: srun commmap where, or commmap where --report FILE"};
}

}  // namespace

void add_where_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<WhereArguments>();
    CLI::App* command = app.add_subcommand("where",
                                           "in a task: print its place and compare it with a "
                                           "report; elsewhere: print the report's table");
    command
        ->add_option("--report", arguments->report,
                     "what srun --commmap=auto,report=FILE wrote; a difference is exit code 1")
        ->type_name("FILE");
    command
        ->add_option("--command", arguments->command,
                     "for srun --commmap=auto: place as this program's tasks would be placed")
        ->type_name("PROGRAM");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return where(*arguments, context.exit_code); };
    });
}

}  // namespace commmap::cli
