#include "core/plan/planner.hpp"

#include <algorithm>
#include <utility>

#include "core/collectives/schedule.hpp"
#include "core/estimate/cost_order.hpp"
#include "core/estimate/estimator.hpp"
#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/process_time.hpp"
#include "core/mapping/mapper.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/prediction.hpp"

namespace commmap {
namespace {

bool cheaper(const Candidate& a, const Candidate& b) {
    const double cost_a = a.port_cost.cost_s;
    const double cost_b = b.port_cost.cost_s;
    if (clearly_cheaper(cost_a, cost_b) || clearly_cheaper(cost_b, cost_a)) return cost_a < cost_b;
    return a.hop_bytes < b.hop_bytes;
}

}  // namespace

Result<Scenario> make_scenario(const Profile& profile, const Cluster& cluster,
                               const Allocation& allocation, std::uint32_t num_ranks) {
    if (profile.num_ranks() != num_ranks) {
        return Error{Errc::invalid_input, "the profile is of " +
                                              std::to_string(profile.num_ranks()) +
                                              " ranks, the job has " + std::to_string(num_ranks)};
    }
    auto hct = build_hct(cluster, allocation);
    if (!hct) return hct.error();
    std::vector<std::uint32_t> cpus;
    for (NodeId node = 0; node < hct.value().num_nodes(); ++node)
        cpus.push_back(hct.value().node(node).num_pus);
    auto tasks = default_tasks_per_node(cpus, num_ranks);
    if (!tasks) return tasks.error();
    std::vector<std::string> notes;
    auto graph = expand_profile(profile);
    const bool too_many = !graph && graph.error().code == Errc::out_of_range;
    if (too_many) {
        notes.push_back("collectives are left out: " + graph.error().message);
        Profile without = profile;
        without.collectives.clear();
        graph = expand_profile(without);
    }
    if (!graph) return graph.error();
    auto slots = choose_slots(hct.value(), tasks.value());
    return Scenario{std::move(hct).value(),   std::move(tasks).value(), std::move(slots),
                    std::move(graph).value(), std::move(notes),         too_many};
}

Result<Candidate> evaluate(std::string name, std::vector<PuId> pu_of_rank,
                           const Scenario& scenario) {
    const auto port = port_cost(scenario.graph, scenario.hct, pu_of_rank);
    if (!port) return port.error();
    const auto process = process_time(scenario.graph, scenario.hct, pu_of_rank);
    if (!process) return process.error();
    const auto hops = hop_bytes(scenario.graph, scenario.hct, pu_of_rank);
    if (!hops) return hops.error();
    return Candidate{std::move(name), std::move(pu_of_rank), port.value(),
                     process.value(), hops.value(),          0.0};
}

Result<Plan> make_plan(const Scenario& scenario, const Profile& profile, const Cluster& cluster,
                       const PlannerOptions& options) {
    Plan plan;
    plan.notes = scenario.notes;
    if (scenario.collectives_missing)
        plan.notes.push_back(
            "without them no gain can be predicted: Slurm's own placement is kept");
    auto block = evaluate("block", block_placement(scenario.hct, scenario.slots), scenario);
    if (!block) return block.error();
    plan.candidates.push_back(std::move(block).value());

    const MappingProblem problem{scenario.graph, scenario.hct, scenario.slots,
                                 options.rank0_free ? no_id : NodeId{0}};
    for (const MapperInfo& mapper : mapper_table()) {
        if (scenario.graph.num_ranks() > mapper.candidate_up_to_ranks) continue;
        auto mapping = mapper.map(problem, {.seed = options.seed});
        if (!mapping) {
            plan.notes.push_back("mapper " + std::string(mapper.name) +
                                 " failed: " + mapping.error().message);
            continue;
        }
        for (const std::string& note : mapping.value().notes) {
            // a mapper and its refined form fail alike
            if (std::find(plan.notes.begin(), plan.notes.end(), note) == plan.notes.end()) {
                plan.notes.push_back(note);
            }
        }
        auto candidate =
            evaluate(std::string(mapper.name), std::move(mapping).value().pu_of_rank, scenario);
        if (!candidate) return candidate.error();
        plan.candidates.push_back(std::move(candidate).value());
    }

    const Prediction prediction(profile, scenario.graph, cluster,
                                plan.candidates[0].port_cost.cost_s);
    plan.share_in_mpi = prediction.share_in_mpi();
    if (!prediction.share_known()) {
        plan.notes.emplace_back(
            "the profile has no times (COMMMAP_RECORD_TIME=0): all of the run is taken as "
            "communication");
    }
    plan.profiled_placement_known = prediction.profiled_placement_known();
    for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
        Candidate& candidate = plan.candidates[i];
        candidate.predicted_s = prediction.run_time_s(candidate.port_cost.cost_s);
        if (cheaper(candidate, plan.candidates[plan.best])) plan.best = i;
    }
    const double before = plan.candidates[0].predicted_s;
    if (before > 0.0)
        plan.gain_percent = 100.0 * (before - plan.candidates[plan.best].predicted_s) / before;
    plan.keep_default = scenario.collectives_missing || plan.best == 0 ||
                        plan.gain_percent <= 0.0 || plan.gain_percent < options.threshold_percent;
    return plan;
}

}  // namespace commmap
