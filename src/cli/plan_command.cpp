#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/plan_text.hpp"
#include "core/plan/launch_formats.hpp"

namespace commmap::cli {
namespace {

struct PlanArguments {
    JobArguments job;
    bool verbose = false;
};

std::string counts(const std::vector<std::uint32_t>& values) {
    std::string text;
    for (const std::uint32_t value : values)
        text += (text.empty() ? "" : ",") + std::to_string(value);
    return text;
}

/// The answer to the plugin (docs/planner-protocol.md). Every failure is a decision too: the job
/// must start.
Status answer(const PlanArguments& arguments, const Options& options) {
    std::string text = "commmap-plan 1\n";
    const auto say = [&](std::string line) {
        // a path in a message may hold anything: it must not become a line of the protocol
        std::replace_if(
            line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
        text += "line " + line + '\n';
    };
    const auto finish = [&] { return write_output("", text + "end\n"); };
    const auto decline = [&](const Error& error) {
        say(error.message + "; launching as without commmap");
        text += "decision decline\n";
        return finish();
    };

    const auto job = load_job(arguments.job, options);
    if (!job) return decline(job.error());
    const Scenario& scenario = job.value().scenario;
    const auto plan = make_plan(scenario, job.value().profile, job.value().cluster,
                                {options.threshold_percent, options.seed, options.rank0_free});
    if (!plan) return decline(plan.error());

    for (const std::string& note : plan.value().notes) say(note);
    if (arguments.verbose) {
        for (const std::string& line :
             describe_plan(plan.value(), scenario, options.threshold_percent))
            say(line);
    }
    if (plan.value().keep_default) {
        text += "decision keep\n";
        return finish();
    }
    const Placement placement = plan.value().chosen().pu_of_rank;
    text += "decision apply\ntasks-per-node " + counts(scenario.tasks_per_node) + "\norder " +
            node_order(scenario.hct, placement) + "\nslots " +
            slot_patterns(scenario.hct, placement) + '\n';
    return finish();
}

}  // namespace

void add_plan_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<PlanArguments>();
    CLI::App* command = app.add_subcommand(
        "plan", "what --commmap=auto would do for a job, as the plugin asks for it");
    add_job_arguments(*command, context, arguments->job);
    add_table_options(*command, context, {"threshold", "seed", "rank0"});
    command->add_flag("--verbose", arguments->verbose, "describe the plan");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return answer(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
