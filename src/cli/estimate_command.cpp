#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/job_arguments.hpp"
#include "cli/plan_text.hpp"
#include "core/base/file.hpp"
#include "core/base/text_table.hpp"
#include "core/base/units.hpp"
#include "core/estimate/cost_order.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/mapping/random.hpp"
#include "core/plan/launch_formats.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/prediction.hpp"

namespace commmap::cli {
namespace {

constexpr std::uint64_t max_hostfile_bytes = std::uint64_t{256} << 20U;

struct EstimateArguments {
    JobArguments job;
    std::vector<std::string> placements;
    std::uint32_t num_random = 0;
    bool json = false;
};

constexpr std::uint32_t most_random = 1'000'000;

/// "block", "cyclic", a mapper's name, or the path of a hostfile (anything with a slash).
Result<std::vector<PuId>> placement_named(const std::string& name, const Scenario& scenario,
                                          const RunTime& time, const Options& options) {
    if (name == "block") return block_placement(scenario.hct, scenario.slots);
    if (name == "cyclic") return cyclic_placement(scenario.hct, scenario.slots);
    if (name.find('/') != std::string::npos) {
        const auto text = read_file(name, max_hostfile_bytes);
        if (!text) return text.error();
        auto placement = placement_from_hostfile(text.value(), scenario.hct, scenario.slots,
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

/// Predicted times of random placements, ascending. Source: Sweeney, Wisniewski, Cascaval, Smith,
/// Sec. 9, which asks where the default lies between the worst and the best.
class RandomPlacements {
public:
    RandomPlacements(const Scenario& scenario, const Prediction& prediction, std::uint32_t count,
                     std::uint64_t seed) {
        Random random(seed);
        std::vector<PuId> pus = scenario.slots;
        for (std::uint32_t i = 0; i < count; ++i) {
            shuffle(std::span(pus), random);
            const std::span placement(pus.data(), scenario.graph.num_ranks());
            times_s_.push_back(prediction.run_time_s(scenario.run->parts_of(placement)));
        }
        std::sort(times_s_.begin(), times_s_.end());
    }

    [[nodiscard]] std::size_t size() const { return times_s_.size(); }
    [[nodiscard]] double best_s() const { return times_s_.front(); }
    [[nodiscard]] double median_s() const { return times_s_[times_s_.size() / 2]; }
    [[nodiscard]] double worst_s() const { return times_s_.back(); }
    /// Share of them that are slower.
    [[nodiscard]] double slower_percent(double time_s) const {
        const auto slower = times_s_.end() - std::upper_bound(times_s_.begin(), times_s_.end(),
                                                              time_s * (1.0 + same_cost));
        return 100.0 * static_cast<double>(slower) / static_cast<double>(times_s_.size());
    }

private:
    std::vector<double> times_s_;
};

std::string text_of_random(const RandomPlacements& random, const std::vector<Candidate>& rows) {
    std::string text = "of " + std::to_string(random.size()) + " random placements: best " +
                       format_seconds(random.best_s()) + ", median " +
                       format_seconds(random.median_s()) + ", worst " +
                       format_seconds(random.worst_s()) + '\n';
    for (const Candidate& row : rows) {
        char percent[32];
        std::snprintf(percent, sizeof percent, "%.1f", random.slower_percent(row.predicted_s));
        text += row.name + " is faster than " + percent + " % of them\n";
    }
    return text;
}

nlohmann::json row_json(const Candidate& candidate, const Hct& hct) {
    return {{"placement", candidate.name},
            {"port_cost_s", candidate.port_cost.cost_s},
            {"bottleneck", describe_port(candidate.port_cost.bottleneck, hct)},
            {"process_time_s", candidate.process_time_s},
            {"hop_bytes", candidate.hop_bytes},
            {"predicted_s", candidate.predicted_s}};
}

std::string table(const std::vector<Candidate>& rows, const Hct& hct) {
    std::vector<std::vector<std::string>> lines{
        {"placement", "port cost", "T(X)", "hop-bytes", "predicted", "most loaded port"}};
    for (const Candidate& row : rows) {
        lines.push_back({row.name, format_seconds(row.port_cost.cost_s),
                         format_seconds(row.process_time_s), format_bytes(row.hop_bytes),
                         format_seconds(row.predicted_s),
                         describe_port(row.port_cost.bottleneck, hct)});
    }
    return text_of(aligned(lines));
}

Status estimate(const EstimateArguments& arguments, const Options& options) {
    const auto job = load_job(arguments.job, options);
    if (!job) return job.error();
    const Scenario& scenario = job.value().scenario;
    print_notes(scenario.notes);
    auto names = arguments.placements;
    if (names.empty()) names = {"block", "cyclic", "multilevel_refined"};

    const Prediction prediction(job.value().profile, scenario, job.value().cluster);
    std::vector<Candidate> rows;
    for (const std::string& name : names) {
        auto placement = placement_named(name, scenario, prediction.time(), options);
        if (!placement) return placement.error();
        auto row = evaluate(name, std::move(placement).value(), scenario);
        if (!row) return row.error();
        row.value().predicted_s = prediction.run_time_s(row.value().parts_s);
        rows.push_back(std::move(row).value());
    }
    std::optional<RandomPlacements> random;
    if (arguments.num_random > 0)
        random.emplace(scenario, prediction, arguments.num_random, options.seed);
    if (!arguments.json)
        return write_output(
            "", table(rows, scenario.hct) + (random ? text_of_random(*random, rows) : ""));
    nlohmann::json document = nlohmann::json::array();
    for (const Candidate& row : rows) {
        nlohmann::json entry = row_json(row, scenario.hct);
        if (random)
            entry["random"] = {{"count", random->size()},
                               {"best_s", random->best_s()},
                               {"median_s", random->median_s()},
                               {"worst_s", random->worst_s()},
                               {"slower_percent", random->slower_percent(row.predicted_s)}};
        document.push_back(std::move(entry));
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
                         "cyclic, multilevel_refined]")
            ->type_name("NAME");
    context.words[placement] = mapper_names();
    context.words[placement].insert(context.words[placement].begin(), {"block", "cyclic"});
    command
        ->add_option("--random", arguments->num_random,
                     "where they lie between the best and the worst of so many random placements")
        ->type_name("N")
        ->check(CLI::Range(1U, most_random));
    command->add_flag("--json", arguments->json, "a list of objects instead of a table");
    command->callback([&context, arguments] {
        context.action = [&context, arguments] { return estimate(*arguments, context.options); };
    });
}

}  // namespace commmap::cli
