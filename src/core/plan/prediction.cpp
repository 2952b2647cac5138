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

/// Time in MPI of each step: all after the first call that waits, and the same share of what was
/// before that call. The latter is computing or long sends; the profile does not say which.
std::vector<double> times_in_mpi(const std::vector<StepTimes>& steps, double in_mpi_s) {
    double wait_s = 0.0;
    double before_s = 0.0;
    for (const StepTimes& step : steps) {
        wait_s += step.wait_s;
        before_s += step.seconds - step.wait_s;
    }
    const double share =
        before_s > 0.0 ? std::clamp((in_mpi_s - wait_s) / before_s, 0.0, 1.0) : 0.0;
    std::vector<double> times_s;
    times_s.reserve(steps.size());
    for (const StepTimes& step : steps)
        times_s.push_back(step.wait_s + share * (step.seconds - step.wait_s));
    return times_s;
}

/// How much of the run time each step's cost stands for, in seconds for a second of cost.
/// @param explained_s  what all steps stand for
std::vector<double> weights(std::span<const double> costs_s, const std::vector<double>& times_s,
                            double explained_s) {
    constexpr double least = 0.25;  // of the cost
    const bool timed = std::accumulate(times_s.begin(), times_s.end(), 0.0) > 0.0;
    std::vector<double> weights;
    double all_s = 0.0;
    for (std::size_t step = 0; step < costs_s.size(); ++step) {
        double weight = 1.0;
        if (timed && costs_s[step] > 0.0)
            weight = std::clamp(times_s[step] / costs_s[step], least, Prediction::model_slack);
        weights.push_back(weight);
        all_s += weight * costs_s[step];
    }
    if (all_s > 0.0) {
        for (double& weight : weights) weight *= explained_s / all_s;
    }
    return weights;
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
        return share_known_ ? std::min(in_mpi_s, model_slack * cost_s) : in_mpi_s;
    };
    const double whole_s = parts_s.back();
    const double by_whole_s = explained(whole_s);
    const std::span steps_s(parts_s.data(), parts_s.size() - 1);
    double explained_s = by_whole_s;
    if (!steps_s.empty()) {
        // at least as much as the whole run, although Fig. 4's overlap does not add up exactly
        explained_s =
            std::max(by_whole_s, explained(std::accumulate(steps_s.begin(), steps_s.end(), 0.0)));
        time_.per_step = weights(steps_s, times_in_mpi(scenario.step_times, in_mpi_s), explained_s);
        time_.share_of_whole = explained_s > 0.0 ? by_whole_s / explained_s : 1.0;
    }
    time_.rest_s = wall_s - explained_s;
    time_.per_whole = whole_s > 0.0 ? by_whole_s / whole_s : 1.0;
    explained_share_ = in_mpi_s > 0.0 ? explained_s / in_mpi_s : 1.0;
}

}  // namespace commmap
