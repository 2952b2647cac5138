#include "core/plan/prediction.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/estimate/port_cost.hpp"
#include "core/plan/layout.hpp"

namespace commmap {
namespace {

/// Costs of the parts in the placement that was profiled. Inside a node the ranks take, in order,
/// the slots that a plan would take: the profile has the CPUs each rank could run on, but the tree
/// of another allocation may number them differently, and both sides of a ratio must be reckoned
/// alike.
Result<std::vector<double>> parts_of_profiled_run(const Profile& profile, const Scenario& scenario,
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
    const auto whole = std::make_shared<const PortTable>(scenario.graph, hct.value(),
                                                         waits_per_message_of(scenario.steps));
    return RunCost(scenario.steps, whole, hct.value()).parts_of(placement);
}

}  // namespace

Prediction::Prediction(const Profile& profile, const Scenario& scenario, const Cluster& cluster) {
    double wall_s = 0.0;
    for (const RankRecord& rank : profile.ranks) {
        wall_s = std::max(wall_s, rank.wall_s);
        if (rank.wall_s > 0.0)
            share_in_mpi_ += std::clamp(rank.mpi_s / rank.wall_s, 0.0, 1.0) /
                             static_cast<double>(profile.ranks.size());
    }
    // Nobody who sends at all spends no time on it.
    share_known_ = share_in_mpi_ > 0.0 || scenario.graph.num_entries() == 0;
    if (!share_known_) share_in_mpi_ = 1.0;
    const auto profiled = parts_of_profiled_run(profile, scenario, cluster);
    placement_known_ = profiled.ok();
    const std::vector<double> parts_s =
        placement_known_ ? profiled.value() : scenario.run->parts_of(scenario.default_placement);
    profiled_cost_s_ = cost_of(parts_s);
    if (wall_s <= 0.0) wall_s = profiled_cost_s_;
    const double in_mpi_s = wall_s * share_in_mpi_;

    const auto explained = [&](double cost_s) {
        if (cost_s <= 0.0) return 0.0;
        if (!share_known_ || in_mpi_s <= cost_s) return in_mpi_s;
        return cost_s + growing_share * std::min(in_mpi_s - cost_s, most_overhead * cost_s);
    };
    const double whole_s = parts_s.back();
    const double by_whole_s = explained(whole_s);
    const std::span steps_s(parts_s.data(), parts_s.size() - 1);
    double explained_s = by_whole_s;
    if (!steps_s.empty()) {
        // at least as much as the whole run, although Fig. 4's overlap does not add up exactly
        const double all_s = std::accumulate(steps_s.begin(), steps_s.end(), 0.0);
        explained_s = std::max(by_whole_s, explained(all_s));
        time_.per_step.assign(steps_s.size(), all_s > 0.0 ? explained_s / all_s : 1.0);
        time_.share_of_whole = explained_s > 0.0 ? by_whole_s / explained_s : 1.0;
    }
    time_.rest_s = wall_s - explained_s;
    time_.per_whole = whole_s > 0.0 ? by_whole_s / whole_s : 1.0;
    explained_share_ = in_mpi_s > 0.0 ? explained_s / in_mpi_s : 1.0;
}

}  // namespace commmap
