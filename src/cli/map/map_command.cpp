// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/map/map_graph.hpp"
#include "cli/plan/constraint_costs.hpp"
#include "cli/plan_text.hpp"
#include "core/mapping/construction/multisection_mapper.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/machine_files.hpp"
#include "core/plan/prediction.hpp"
#include "core/text/text_table.hpp"

namespace commmap::cli {
namespace {

struct MapArguments {
    JobArguments job;
    MapGraphArguments graph;
    std::string mapper = "plan";
    std::string format = "hostfile";
    std::string output;
    std::uint64_t evaluations = 0;
    bool list = false;
    bool verbose = false;
};

std::string placement_json(const Scenario& scenario, const Candidate& candidate) {
    nlohmann::json ranks = nlohmann::json::array();
    for (std::size_t rank = 0; rank < candidate.pu_of_rank.size(); ++rank) {
        const PuId pu = candidate.pu_of_rank[rank];
        ranks.push_back({{"rank", rank},
                         {"node", scenario.hct.node(scenario.hct.pu(pu).node).name},
                         {"pu_index", scenario.hct.pu_index(pu)}});
    }
    const nlohmann::json document = {{"mapper", candidate.name},
                                     {"port_cost_s", candidate.port_cost.cost_s},
                                     {"process_time_s", candidate.process_time_s},
                                     {"hop_bytes", candidate.hop_bytes},
                                     {"placement", std::move(ranks)}};
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

Result<Candidate> evaluated(const char* name, Result<Mapping> mapping, const Scenario& scenario) {
    if (!mapping) return mapping.error();
    print_notes(scenario.notes);
    print_notes(mapping.value().notes);
    return evaluate(name, std::move(mapping).value().pu_of_rank, scenario);
}

/// Returns the placement that the arguments ask for:
/// - "plan": the planner's choice, which may be the default;
/// - another word: that mapper's placement, whatever it costs;
/// - with an objective: the engine's placement for it.
Result<Candidate> placement_of(const MapArguments& arguments, const Job& job,
                               const Options& options) {
    const bool for_objective = arguments.graph.objective.has_value();
    if (arguments.mapper == "plan" && !for_objective) {
        const PlannerOptions planner = planner_options(options);
        auto plan = make_plan(job.scenario, job.profile, job.cluster, planner);
        if (!plan) return plan.error();
        print_notes(plan.value().notes);
        if (arguments.verbose) {
            print_notes(describe_plan(plan.value(), job.scenario, options.threshold_percent));
            print_notes(describe_keeping(plan.value(), job, planner));
        }
        const Candidate& chosen = plan.value().chosen();
        return evaluate(chosen.name, chosen.pu_of_rank, job.scenario);  // with all figures
    }
    if (options.keep != LayoutConstraint::none) {
        return Error{
            Errc::invalid_input,
            fmt::format("keep={} is for plans: leave out {}", layout_constraint_name(options.keep),
                        for_objective ? fmt::format("--objective {}", *arguments.graph.objective)
                                      : fmt::format("--mapper {}", arguments.mapper))};
    }
    const Prediction prediction(job.profile, job.scenario, job.cluster);
    const MappingProblem problem =
        mapping_problem(job.scenario, prediction.time(), options.rank0_free);
    if (for_objective) {
        const MapperOptions effort{.seed = options.seed,
                                   .threads = static_cast<unsigned>(options.plan_threads)};
        return evaluated(
            "multisection",
            map_multisection_for(problem, effort, objective_named(*arguments.graph.objective)),
            job.scenario);
    }
    const auto mapper = find_mapper(arguments.mapper);
    if (!mapper) return mapper.error();
    const MapperOptions effort{.seed = options.seed, .max_evaluations = arguments.evaluations};
    return evaluated(arguments.mapper.c_str(), mapper.value()->map(problem, effort), job.scenario);
}

Result<std::string> formatted(const MapArguments& arguments, const Scenario& scenario,
                              const Candidate& candidate) {
    for (const MachineFileFormat& format : machine_file_table()) {
        if (format.name == arguments.format)
            return format.write({scenario.hct, candidate.pu_of_rank, scenario.default_placement,
                                 arguments.job.cpus_per_task});
    }
    return placement_json(scenario, candidate);
}

Status map_job(const MapArguments& arguments, const Options& options) {
    const auto job = load_job(arguments.job, options);
    if (!job) return job.error();
    const auto candidate = placement_of(arguments, job.value(), options);
    if (!candidate) return candidate.error();
    const auto text = formatted(arguments, job.value().scenario, candidate.value());
    if (!text) return prefixed("--format " + arguments.format, text.error());
    return write_output(arguments.output, text.value());
}

/// Returns the list of formats: "hostfile (srun, SLURM_HOSTFILE), ..., json".
std::string formats() {
    std::string text;
    for (const MachineFileFormat& format : machine_file_table())
        text += std::string(format.name) + " (" + std::string(format.launcher) + "), ";
    return text + "json";
}

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const MachineFileFormat& format : machine_file_table()) names.emplace_back(format.name);
    names.emplace_back("json");
    return names;
}

Status list_mappers() {
    std::vector<std::vector<std::string>> rows;
    for (const MapperInfo& mapper : mapper_table()) {
        const std::string source(mapper.source);
        rows.push_back({std::string(mapper.name),
                        std::string(mapper.summary) + (source.empty() ? "" : " [" + source + "]")});
    }
    return write_output("", text_of(aligned(rows)));
}

}  // namespace

void add_map_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<MapArguments>();
    CLI::App* command = app.add_subcommand(
        "map", "compute a placement from profile, topology and allocation, and write it");
    add_job_arguments(*command, context, arguments->job);
    add_table_options(*command, context, {"threshold", "seed", "rank0", "keep", "plan-threads"});
    add_map_graph_arguments(*command, context, arguments->graph);
    CLI::Option* mapper = command
                              ->add_option("--mapper", arguments->mapper,
                                           "'plan' (what srun would do) or a mapper [plan]")
                              ->type_name("NAME");
    context.words[mapper] = mapper_names();
    context.words[mapper].emplace_back("plan");
    command->add_flag("--list-mappers", arguments->list, "list the mappers and stop");
    command
        ->add_option("--evaluations", arguments->evaluations,
                     "most placements that a mapper's search may evaluate [the mapper's default]")
        ->type_name("N");
    add_format_option(*command, context, arguments->format,
                      "for which launcher, or json; 'help' lists them [hostfile]", format_names(),
                      formats());
    command->add_option("-o,--output", arguments->output, "write here [standard output]")
        ->type_name("FILE");
    command->add_flag("--verbose", arguments->verbose,
                      "describe the plan on standard error, and what --keep costs");
    command->get_option("--objective")->excludes(mapper);
    exclude_from_map_graph(*command);
    command->callback([&context, arguments] {
        context.action = [&context, arguments] {
            if (arguments->list) return list_mappers();
            if (arguments->format == "help") return write_output("", formats() + '\n');
            if (arguments->graph.graph_file && !arguments->job.words.empty())
                return Status(
                    Error{Errc::invalid_input, fmt::format("unexpected word '{}' beside --graph",
                                                           arguments->job.words.front())});
            if (arguments->graph.graph_file)
                return map_graph(arguments->graph, context.options.seed, arguments->output);
            return map_job(*arguments, context.options);
        };
    });
}

}  // namespace commmap::cli
