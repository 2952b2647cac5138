#include "core/plan/planner.hpp"

#include <algorithm>
#include <utility>

#include "core/collectives/schedule.hpp"
#include "core/estimate/cost_order.hpp"
#include "core/estimate/estimator.hpp"
#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/process_time.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/mapping/refine.hpp"
#include "core/plan/candidates.hpp"
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
                               const Allocation& allocation, std::uint32_t num_ranks,
                               const SlurmLayout& layout) {
    if (profile.num_ranks() != num_ranks) {
        return Error{Errc::invalid_input, "the profile is of " +
                                              std::to_string(profile.num_ranks()) +
                                              " ranks, the job has " + std::to_string(num_ranks)};
    }
    auto hct = build_hct(cluster, allocation);
    if (!hct) return hct.error();
    const std::vector<NodeId> order = node_order_of(hct.value(), layout.topology_order);
    std::vector<std::uint32_t> room;  // for tasks, on each node
    for (NodeId node = 0; node < hct.value().num_nodes(); ++node)
        room.push_back(hct.value().node(node).num_pus / layout.cpus_per_task);
    auto tasks = layout.node_of_rank.empty()
                     ? dealt_in_order(order, room, num_ranks)
                     : tasks_per_node_of(layout.node_of_rank, room, num_ranks);
    if (!tasks) return tasks.error();
    std::vector<std::string> notes;
    auto graph = expand_profile(profile);
    const bool too_many = !graph && graph.error().code == Errc::out_of_range;
    if (too_many) {
        notes.push_back("collectives are left out: " + graph.error().message);
        Profile without = profile;
        for (Phase& phase : without.phases) phase.collectives.clear();
        graph = expand_profile(without);
    }
    if (!graph) return graph.error();
    auto slots = choose_slots(hct.value(), tasks.value(), layout.cpus_per_task);
    const std::vector<std::uint32_t> node_of_rank =
        layout.node_of_rank.empty() ? block_layout(order, tasks.value()) : layout.node_of_rank;
    auto placement = placement_on_nodes(hct.value(), slots, node_of_rank);
    auto ports = std::make_shared<const PortTable>(graph.value(), hct.value());
    return Scenario{
        std::move(hct).value(),   std::move(tasks).value(), std::move(slots), std::move(placement),
        std::move(graph).value(), std::move(notes),         too_many,         std::move(ports)};
}

namespace {

/// What the planner compares; the process time, which it does not look at, stays 0.
Result<Candidate> compared(std::string name, Mapping mapping, const Scenario& scenario) {
    if (const Status fits = check_placement(scenario.graph, scenario.hct, mapping.pu_of_rank);
        !fits)
        return fits.error();
    const auto ports = scenario.ports
                           ? scenario.ports
                           : std::make_shared<const PortTable>(scenario.graph, scenario.hct);
    const PortCost port =
        mapping.port_cost ? *mapping.port_cost : port_cost(*ports, mapping.pu_of_rank);
    const double hops = hop_bytes(scenario.graph, *ports, mapping.pu_of_rank);
    return Candidate{std::move(name), std::move(mapping.pu_of_rank), port, 0.0, hops, 0.0};
}

/// The candidates of one plan; a placement that comes again is not estimated again.
class Candidates {
public:
    Candidates(const Scenario& scenario, Plan& plan) : scenario_(scenario), plan_(plan) {}

    Status add(std::string_view name, Mapping mapping) {
        for (const Candidate& known : plan_.candidates) {
            if (known.pu_of_rank != mapping.pu_of_rank) continue;
            Candidate same = known;
            same.name = name;
            plan_.candidates.push_back(std::move(same));
            return Ok{};
        }
        auto candidate = compared(std::string(name), std::move(mapping), scenario_);
        if (!candidate) return candidate.error();
        plan_.candidates.push_back(std::move(candidate).value());
        return Ok{};
    }
    [[nodiscard]] const Candidate* find(std::string_view name) const {
        const auto known = std::find_if(plan_.candidates.begin(), plan_.candidates.end(),
                                        [&](const Candidate& c) { return c.name == name; });
        return known == plan_.candidates.end() ? nullptr : &*known;
    }
    void note(const std::string& text) {
        // a mapper and its refined form fail alike
        if (std::find(plan_.notes.begin(), plan_.notes.end(), text) == plan_.notes.end())
            plan_.notes.push_back(text);
    }

private:
    const Scenario& scenario_;
    Plan& plan_;
};

Status try_mappers(const Scenario& scenario, const PlannerOptions& options, Plan& plan) {
    Candidates candidates(scenario, plan);
    if (Status ok = candidates.add("slurm", {scenario.default_placement, {}, {}}); !ok) return ok;
    MappingProblem problem{scenario.graph, scenario.hct,
                           scenario.slots, rank0_node(scenario, options.rank0_free),
                           scenario.ports, {}};
    const MapperOptions mapper_options{
        .seed = options.seed, .deadline = options.deadline, .threads = options.threads};
    for (const MapperInfo& mapper : mapper_table()) {
        if (scenario.graph.num_ranks() > mapper.candidate_up_to_ranks) continue;
        if (options.deadline.passed()) {
            plan.cut_short = true;
            break;
        }
        const Candidate* base = mapper.refines.empty() ? nullptr : candidates.find(mapper.refines);
        if (!mapper.refines.empty() && base == nullptr) continue;  // it failed
        auto mapping = base == nullptr ? mapper.map(problem, mapper_options)
                                       : refine_mapping(problem, mapper_options,
                                                        {base->pu_of_rank, {}, base->port_cost});
        if (!mapping && mapping.error().code == Errc::timed_out) {
            plan.cut_short = true;
            continue;
        }
        if (!mapping) {
            candidates.note("mapper " + std::string(mapper.name) +
                            " failed: " + mapping.error().message);
            continue;
        }
        for (const std::string& note : mapping.value().notes) candidates.note(note);
        if (Status ok = candidates.add(mapper.name, std::move(mapping).value()); !ok) return ok;
        if (mapper.name == "linear") problem.linear_cost = plan.candidates.back().port_cost;
    }
    plan.cut_short = plan.cut_short || options.deadline.passed();
    return Ok{};
}

/// Where not every rank may go everywhere.
Status try_kept(const Scenario& scenario, const PlannerOptions& options, Plan& plan) {
    Candidates candidates(scenario, plan);
    if (Status ok = candidates.add("slurm", {scenario.default_placement, {}, {}}); !ok) return ok;
    auto placements = candidate_placements(scenario, options, plan.notes);
    if (!placements) return placements.error();
    for (NamedPlacement& placement : placements.value()) {
        Status ok = candidates.add(placement.name, {std::move(placement.pu_of_rank), {}, {}});
        if (!ok) return ok;
    }
    plan.cut_short = options.deadline.passed();
    return Ok{};
}

}  // namespace

NodeId rank0_node(const Scenario& scenario, bool rank0_free) {
    return rank0_free ? no_id : scenario.hct.pu(scenario.default_placement.front()).node;
}

Result<Candidate> evaluate(std::string name, std::vector<PuId> pu_of_rank,
                           const Scenario& scenario) {
    const auto process = process_time(scenario.graph, scenario.hct, pu_of_rank);
    if (!process) return process.error();
    auto candidate = compared(std::move(name), {std::move(pu_of_rank), {}, {}}, scenario);
    if (candidate) candidate.value().process_time_s = process.value();
    return candidate;
}

Result<Plan> make_plan(const Scenario& scenario, const Profile& profile, const Cluster& cluster,
                       const PlannerOptions& options) {
    Plan plan;
    plan.notes = scenario.notes;
    if (scenario.collectives_missing)
        plan.notes.push_back(
            "without them no gain can be predicted: Slurm's own placement is kept");
    if (const Status ok = options.keep == Keep::none ? try_mappers(scenario, options, plan)
                                                     : try_kept(scenario, options, plan);
        !ok)
        return ok.error();

    const Prediction prediction(profile, scenario.graph, cluster,
                                plan.candidates[0].port_cost.cost_s);
    plan.share_in_mpi = prediction.share_in_mpi();
    if (!prediction.share_known()) {
        plan.notes.emplace_back(
            "the profile has no times (imported, or COMMMAP_RECORD_TIME=0): all of the run is "
            "taken as "
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
