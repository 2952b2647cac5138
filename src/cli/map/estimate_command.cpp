// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/map/random_placements.hpp"
#include "cli/plan_text.hpp"
#include "core/base/file.hpp"
#include "core/estimate/sweeney_cost.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/launch_formats.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/prediction.hpp"
#include "core/text/text_table.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

constexpr std::uint64_t max_hostfile_bytes = std::uint64_t{256} << 20U;

struct EstimateArguments {
    JobArguments job;
    std::vector<std::string> placements;
    std::uint32_t num_random = 0;
    bool published = false;
    bool json = false;
};

/// Returns the placement of a name: "block", "cyclic", a mapper, or the path of a hostfile
/// (anything with a slash).
Result<std::vector<PuId>> placement_named(const std::string& name, const Scenario& scenario,
                                          const RunTime& time, const Options& options) {
    if (name == "block") return block_placement(scenario.hct, scenario.candidate_pus);
    if (name == "cyclic") return cyclic_placement(scenario.hct, scenario.candidate_pus);
    if (name.find('/') != std::string::npos) {
        const auto text = read_file(name, max_hostfile_bytes);
        if (!text) return text.error();
        auto placement = placement_from_hostfile(text.value(), scenario.hct, scenario.candidate_pus,
                                                 scenario.graph.num_ranks());
        if (!placement) return prefixed(name, placement.error());
        return placement;
    }
    const auto mapper = find_mapper(name);
    if (!mapper)
        return Error{mapper.error().code,
                     mapper.error().message + " (or block, cyclic, or a hostfile: ./FILE)"};
    auto mapping = mapper.value()->map(mapping_problem(scenario, time, options.rank0_free),
                                       {.seed = options.seed});
    if (!mapping) return mapping.error();
    print_notes(mapping.value().notes);
    return std::move(mapping).value().pu_of_rank;
}

nlohmann::json row_json(const Candidate& candidate, double sweeney_s, const Prediction& prediction,
                        const Hct& hct) {
    return {{"placement", candidate.name},
            {"port_cost_s", candidate.port_cost.cost_s},
            {"whole_cost_s", candidate.parts_s.back()},
            {"sweeney_s", sweeney_s},
            {"bottleneck", describe_port(candidate.port_cost.bottleneck, hct)},
            {"process_time_s", candidate.process_time_s},
            {"hop_bytes", candidate.hop_bytes},
            {"predicted_s", candidate.predicted_s},
            {"by_costs_s", candidate.by_costs_s},
            {"simulated", candidate.simulated},
            {"share_in_mpi", prediction.share_in_mpi()},
            {"explained_share", prediction.explained_share()}};
}

/// @param sweeney_s  by row; empty: not asked for
std::string table(const std::vector<Candidate>& rows, const std::vector<double>& sweeney_s,
                  const Hct& hct) {
    std::vector<std::vector<std::string>> lines{
        {"placement", "port cost", "T(X)", "hop-bytes", "predicted", "most loaded port"}};
    for (const Candidate& row : rows) {
        lines.push_back({row.name, format_seconds(row.port_cost.cost_s),
                         format_seconds(row.process_time_s), format_bytes(row.hop_bytes),
                         format_seconds(row.predicted_s),
                         describe_port(row.port_cost.bottleneck, hct)});
    }
    if (!sweeney_s.empty()) {
        lines[0].insert(lines[0].begin() + 2, "Fig. 4");
        for (std::size_t i = 0; i < rows.size(); ++i)
            lines[i + 1].insert(lines[i + 1].begin() + 2, format_seconds(sweeney_s[i]));
    }
    return text_of(aligned(lines));
}

Status estimate(const EstimateArguments& arguments, const Options& options) {
    const auto job = load_job(arguments.job, options);
    if (!job) return job.error();
    const Scenario& scenario = job.value().scenario;
    print_notes(scenario.notes);
    auto names = arguments.placements;
    if (names.empty()) names = {"block", "cyclic", "metis_refined"};

    const Prediction prediction(job.value().profile, scenario, job.value().cluster);
    std::vector<Candidate> rows;
    // costs of the whole run by Fig. 4 as printed, one for each row
    std::vector<double> sweeney_s;
    for (const std::string& name : names) {
        auto placement = placement_named(name, scenario, prediction.time(), options);
        if (!placement) return placement.error();
        if (arguments.published || arguments.json) {
            const auto published = sweeney_cost(scenario.graph, scenario.hct, placement.value());
            if (!published) return published.error();
            sweeney_s.push_back(published.value());
        }
        auto row = evaluate(name, std::move(placement).value(), scenario);
        if (!row) return row.error();
        row.value().by_costs_s = prediction.run_time_s(row.value().parts_s);
        if (!prediction.simulate(row.value())) row.value().predicted_s = row.value().by_costs_s;
        rows.push_back(std::move(row).value());
    }
    std::optional<RandomPlacements> random;
    if (arguments.num_random > 0)
        random.emplace(scenario, prediction, arguments.num_random, options.seed);
    if (!arguments.json)
        return write_output(
            "", table(rows, sweeney_s, scenario.hct) + (random ? random->text(rows) : ""));
    nlohmann::json document = nlohmann::json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        document.push_back(row_json(rows[i], sweeney_s[i], prediction, scenario.hct));
        if (random) document.back()["random"] = random->json(rows[i]);
    }
    return write_output(
        "", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
}

}  // namespace

void add_estimate_command(CLI::App& app, Context& context) {
    auto arguments = std::make_shared<EstimateArguments>();
    CLI::App* command = app.add_subcommand("estimate", "cost of placements without running them");
    add_job_arguments(*command, context, arguments->job);
    add_table_options(*command, context, {"seed", "rank0"});
    CLI::Option* placement =
        command
            ->add_option("--placement", arguments->placements,
                         "block, cyclic, a mapper, or a hostfile (./FILE); may be repeated [block, "
                         "cyclic, metis_refined]")
            ->type_name("NAME");
    context.words[placement] = mapper_names();
    context.words[placement].insert(context.words[placement].begin(), {"block", "cyclic"});
    command->add_flag("--published", arguments->published,
                      "also the cost by Sweeney's Fig. 4 as printed");
    command
        ->add_option("--random", arguments->num_random, "compare with this many random placements")
        ->type_name("N")
        ->check(CLI::Range(1U, RandomPlacements::most));
    command->add_flag("--json", arguments->json, "a list of objects instead of a table");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return estimate(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
