// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/plan/launch_report.hpp"
#include "core/text/hostlist.hpp"
#include "core/text/node_runs.hpp"

namespace commmap::cli {
namespace {

struct ReportArguments {
    JobArguments job;
    std::string file;
    std::string reason;
    std::string step;
    bool amend = false;
};

Status decline(const ReportArguments& arguments) {
    LaunchReport report = report_of_job(arguments.job);
    if (arguments.amend) {
        auto planned = read_report(arguments.file);
        if (!planned) return planned.error();
        report = std::move(planned).value();
    }
    report.update(report_of_decline(arguments.reason));
    return write_output(arguments.file, report_text(report));
}

Status finish(const ReportArguments& arguments) {
    auto report = read_report(arguments.file);
    if (!report) return report.error();
    const auto nodes = expand_hostlist(arguments.job.nodelist);
    if (!nodes) return prefixed("--nodelist", nodes.error());
    const auto layout = parse_node_runs(arguments.job.layout);
    if (!layout) return prefixed("--layout", layout.error());
    std::vector<std::string> node_of_rank;
    for (const std::uint32_t node : layout.value()) {
        if (node >= nodes.value().size()) {
            return Error{
                Errc::invalid_input,
                fmt::format("--layout names node {}, but the step has {} nodes, counted from 0",
                            node, nodes.value().size())};
        }
        node_of_rank.push_back(nodes.value()[node]);
    }
    if (Status noted = note_launch(report.value(), arguments.step, node_of_rank); !noted)
        return noted;
    return write_output(arguments.file, report_text(report.value()));
}

}  // namespace

void add_launch_report_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<ReportArguments>();
    CLI::App* command = app.add_subcommand(
        "launch-report", "for the plugin: completes the report of --commmap=auto,report=FILE");
    command->require_subcommand(1);
    const auto add = [&](const char* name, const char* help, auto work) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->add_option("FILE", arguments->file, "the report")->required();
        sub->callback([&context, arguments, work] {
            context.action = [arguments, work] { return work(*arguments); };
        });
        return sub;
    };
    CLI::App* left = add("decline", "the launch is left alone", decline);
    left->add_option("--reason", arguments->reason, "why")->required()->type_name("TEXT");
    left->add_option("--command", arguments->job.command, "the program")->type_name("PROGRAM");
    left->add_flag("--amend", arguments->amend, "keep what was planned");
    CLI::App* finished = add("finish", "the step exists: add how Slurm laid the step out", finish);
    finished->add_option("--step", arguments->step, "JOB.STEP")->required()->type_name("STEP");
    finished->add_option("--nodelist", arguments->job.nodelist, "the step's nodes")
        ->required()
        ->type_name("LIST");
    add_layout_option(*finished, arguments->job,
                      "the node of each rank as index in the node list: '0x2,1x2'")
        ->required();
}

}  // namespace commmap::cli
