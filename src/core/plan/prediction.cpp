#include "core/plan/prediction.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/estimate/port_cost.hpp"
#include "core/plan/layout.hpp"

namespace commmap {
namespace {

/// As in Candidate.
struct Costs {
    double steps_s;
    double whole_s;
};

/// Costs of the placement that was profiled. Inside a node the ranks take, in order, the slots
/// that a plan would take: the profile has the CPUs each rank could run on, but the tree of another
/// allocation may number them differently, and both sides of a ratio must be reckoned alike.
Result<Costs> cost_of_profiled_run(const Profile& profile, const Scenario& scenario,
                                   const Cluster& cluster) {
    Allocation allocation;
    for (const std::string& name : profile.nodes) allocation.nodes.push_back({name, 0});
    const auto hct = build_hct(cluster, allocation);
    if (!hct) return hct.error();
    std::vector<std::uint32_t> tasks(profile.nodes.size(), 0);
    for (const RankRecord& rank : profile.ranks) {
        const NodeInfo& node = hct.value().node(rank.node);
        if (tasks[rank.node]++ == node.num_pus)
            return Error{Errc::out_of_range, "more ranks than PUs on " + node.name};
    }
    std::vector<std::vector<PuId>> free(tasks.size());
    for (const PuId pu : choose_slots(hct.value(), tasks))
        free[hct.value().pu(pu).node].push_back(pu);
    std::vector<std::uint32_t> used(tasks.size(), 0);
    std::vector<PuId> placement;
    placement.reserve(profile.num_ranks());
    for (const RankRecord& rank : profile.ranks)
        placement.push_back(free[rank.node][used[rank.node]++]);
    const auto cost = port_cost(scenario.graph, hct.value(), placement);
    if (!cost) return cost.error();
    const double whole_s = cost.value().cost_s;
    if (scenario.steps.empty()) return Costs{whole_s, whole_s};
    return Costs{StepCost(scenario.steps, hct.value()).of(placement, whole_s), whole_s};
}

}  // namespace

Prediction::Prediction(const Profile& profile, const Scenario& scenario, const Cluster& cluster,
                       const Candidate& fallback) {
    double share = 0.0;
    for (const RankRecord& rank : profile.ranks) {
        wall_s_ = std::max(wall_s_, rank.wall_s);
        if (rank.wall_s > 0.0) share += std::clamp(rank.mpi_s / rank.wall_s, 0.0, 1.0);
    }
    // Nobody who sends at all spends no time on it.
    share_known_ = share > 0.0 || scenario.graph.num_entries() == 0;
    if (!share_known_)
        share_in_mpi_ = 1.0;
    else if (!profile.ranks.empty())
        share_in_mpi_ = share / static_cast<double>(profile.ranks.size());
    const auto cost = cost_of_profiled_run(profile, scenario, cluster);
    placement_known_ = cost.ok();
    profiled_cost_s_ = cost ? cost.value().steps_s : fallback.port_cost.cost_s;
    profiled_whole_s_ = cost ? cost.value().whole_s : fallback.whole_cost_s;
    if (wall_s_ <= 0.0) wall_s_ = profiled_cost_s_;
}

double Prediction::run_time_s(double port_cost_s, double whole_cost_s) const {
    if (profiled_cost_s_ <= 0.0) return wall_s_;
    double ratio = port_cost_s / profiled_cost_s_;
    if (profiled_whole_s_ > 0.0) ratio = std::max(ratio, whole_cost_s / profiled_whole_s_);
    return wall_s_ * (1.0 - share_in_mpi_ + share_in_mpi_ * ratio);
}

}  // namespace commmap
