#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "core/base/suggest.hpp"
#include "core/mapping/mapper.hpp"
#include "core/plan/launch_formats.hpp"

namespace commmap::cli {
namespace {

struct MapArguments {
    JobArguments job;
    std::string mapper = "plan";
    std::string format = "hostfile";
    std::string output;
    std::uint64_t evaluations = 0;
    bool list = false;
};

std::string placement_json(const Scenario& scenario, const Candidate& candidate) {
    nlohmann::json ranks = nlohmann::json::array();
    for (std::size_t rank = 0; rank < candidate.pu_of_rank.size(); ++rank) {
        const PuInfo& pu = scenario.hct.pu(candidate.pu_of_rank[rank]);
        ranks.push_back(
            {{"rank", rank}, {"node", scenario.hct.node(pu.node).name}, {"slot", pu.slot}});
    }
    const nlohmann::json document = {{"mapper", candidate.name},
                                     {"port_cost_s", candidate.port_cost.cost_s},
                                     {"process_time_s", candidate.process_time_s},
                                     {"hop_bytes", candidate.hop_bytes},
                                     {"placement", std::move(ranks)}};
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

/// "plan": what the planner would launch, default included; anything else: that mapper, whatever it
/// costs.
Result<Candidate> placement_of(const MapArguments& arguments, const Job& job,
                               const Options& options) {
    if (arguments.mapper == "plan") {
        auto plan = make_plan(job.scenario, job.profile, job.cluster,
                              {options.threshold_percent, options.seed, options.rank0_free});
        if (!plan) return plan.error();
        print_notes(plan.value().notes);
        return plan.value().chosen();
    }
    const auto mapper = find_mapper(arguments.mapper);
    if (!mapper) return mapper.error();
    const MappingProblem problem{job.scenario.graph, job.scenario.hct, job.scenario.slots,
                                 options.rank0_free ? no_id : NodeId{0}};
    auto mapping = mapper.value()->map(
        problem, {.seed = options.seed, .max_evaluations = arguments.evaluations});
    if (!mapping) return mapping.error();
    print_notes(job.scenario.notes);
    print_notes(mapping.value().notes);
    return evaluate(arguments.mapper, std::move(mapping).value().pu_of_rank, job.scenario);
}

std::string formatted(const std::string& format, const Scenario& scenario,
                      const Candidate& candidate) {
    if (format == "hostfile") return slurm_hostfile(scenario.hct, candidate.pu_of_rank);
    if (format == "rankfile") return open_mpi_rankfile(scenario.hct, candidate.pu_of_rank);
    return placement_json(scenario, candidate);
}

Status map_job(const MapArguments& arguments, const Options& options) {
    const auto job = load_job(arguments.job, options);
    if (!job) return job.error();
    const auto candidate = placement_of(arguments, job.value(), options);
    if (!candidate) return candidate.error();
    return write_output(arguments.output,
                        formatted(arguments.format, job.value().scenario, candidate.value()));
}

Status list_mappers() {
    std::string text;
    for (const MapperInfo& mapper : mapper_table()) {
        std::string name(mapper.name);
        name.resize(std::max<std::size_t>(name.size() + 1, 22), ' ');
        text += name + std::string(mapper.summary) +
                (mapper.source.empty() ? "" : " [" + std::string(mapper.source) + "]") + '\n';
    }
    return write_output("", text);
}

}  // namespace

void add_map_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<MapArguments>();
    CLI::App* command = app.add_subcommand("map", "profile + topology + allocation -> a placement");
    add_job_arguments(*command, context, arguments->job);
    add_table_options(*command, context, {"threshold", "seed", "rank0"});
    command
        ->add_option("--mapper", arguments->mapper,
                     "'plan' (what srun would do) or a mapper [plan]")
        ->type_name("NAME");
    command->add_flag("--list-mappers", arguments->list, "list the mappers and stop");
    command
        ->add_option("--evaluations", arguments->evaluations,
                     "placements that a searching mapper may look at [its own]")
        ->type_name("N");
    command
        ->add_option("--format", arguments->format,
                     "hostfile (SLURM_HOSTFILE), rankfile (Open MPI) or json [hostfile]")
        ->check(CLI::IsMember({"hostfile", "rankfile", "json"}))
        ->type_name("FORMAT");
    command->add_option("-o,--output", arguments->output, "write here [standard output]")
        ->type_name("FILE");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] {
            return arguments->list ? list_mappers() : map_job(*arguments, context.options);
        };
    });
}

}  // namespace commmap::cli
