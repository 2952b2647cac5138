// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/estimate/port_cost.hpp"
#include "core/plan/layout.hpp"
#include "core/simulation/run_simulator.hpp"

namespace commmap {
namespace {

/// Returns where the ranks of the profiled run were. Inside a node, the ranks take in order the
/// candidate PUs that a plan would take. The profile has the CPUs of each rank, but the tree of
/// another allocation may number them differently. Both sides of a ratio must be computed alike.
Result<ProfiledPlacement> profiled_placement(const Profile& profile, const Cluster& cluster) {
    Allocation allocation;
    for (const std::string& name : profile.nodes) allocation.nodes.push_back({name, 0});
    auto hct = build_hct(cluster, allocation);
    if (!hct) return hct.error();
    std::vector<std::uint32_t> tasks(profile.nodes.size(), 0);
    for (const ProfileRank& rank : profile.ranks) {
        const NodeInfo& node = hct.value().node(rank.node);
        if (tasks[rank.node]++ == node.num_pus)
            return Error{Errc::out_of_range, "more ranks than PUs on " + node.name};
    }
    std::vector<std::vector<PuId>> free(tasks.size());
    for (const PuId pu : choose_candidate_pus(hct.value(), tasks))
        free[hct.value().pu(pu).node].push_back(pu);
    std::vector<std::uint32_t> used(tasks.size(), 0);
    std::vector<PuId> placement;
    placement.reserve(profile.num_ranks());
    for (const ProfileRank& rank : profile.ranks)
        placement.push_back(free[rank.node][used[rank.node]++]);
    return ProfiledPlacement{std::move(hct).value(), std::move(placement)};
}

std::vector<double> parts_of(const ProfiledPlacement& profiled, const Scenario& scenario) {
    const auto whole = std::make_shared<const PortTable>(scenario.graph, profiled.hct,
                                                         waits_per_message_of(scenario.steps));
    return RunCost(scenario.steps, whole, profiled.hct).parts_of(profiled.pu_of_rank);
}

}  // namespace

Prediction::Prediction(const Profile& profile, const Scenario& scenario, const Cluster& cluster)
    : scenario_(scenario) {
    for (const ProfileRank& rank : profile.ranks) {
        wall_s_ = std::max(wall_s_, rank.wall_s);
        if (rank.wall_s > 0.0)
            share_in_mpi_ += std::clamp(rank.mpi_s / rank.wall_s, 0.0, 1.0) /
                             static_cast<double>(profile.ranks.size());
    }
    // A share of 0 is not true if ranks send, because sending takes time in MPI.
    share_known_ = share_in_mpi_ > 0.0 || scenario.graph.num_entries() == 0;
    if (!share_known_) share_in_mpi_ = 1.0;
    if (auto profiled = profiled_placement(profile, cluster); profiled)
        profiled_ = std::move(profiled).value();
    const std::vector<double> parts_s = profiled_
                                            ? parts_of(*profiled_, scenario)
                                            : scenario.run->parts_of(scenario.default_placement);
    profiled_cost_s_ = cost_of(parts_s);
    if (wall_s_ <= 0.0) wall_s_ = profiled_cost_s_;
    const double in_mpi_s = wall_s_ * share_in_mpi_;

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
        // The steps explain at least as much as the whole run, although the overlap (Sweeney et
        // al., Fig. 4) does not add up exactly.
        const double all_s = std::accumulate(steps_s.begin(), steps_s.end(), 0.0);
        explained_s = std::max(by_whole_s, explained(all_s));
        time_.per_step.assign(steps_s.size(), all_s > 0.0 ? explained_s / all_s : 1.0);
        time_.share_of_whole = explained_s > 0.0 ? by_whole_s / explained_s : 1.0;
    }
    time_.rest_s = wall_s_ - explained_s;
    time_.per_whole = whole_s > 0.0 ? by_whole_s / whole_s : 1.0;
    explained_share_ = in_mpi_s > 0.0 ? explained_s / in_mpi_s : 1.0;
}

double Prediction::simulated_profiled_s() const {
    if (!simulated_profiled_s_) {
        const Hct& hct = profiled_ ? profiled_->hct : scenario_.hct;
        const Placement placement = profiled_ ? profiled_->pu_of_rank : scenario_.default_placement;
        const auto simulated = simulated_time_s(*scenario_.script, hct, placement);
        simulated_profiled_s_ = simulated ? simulated.value() : 0.0;
    }
    return *simulated_profiled_s_;
}

std::optional<double> Prediction::simulated_s(Placement placement) const {
    if (!scenario_.script) return std::nullopt;
    const double before_s = simulated_profiled_s();
    if (before_s <= 0.0) return std::nullopt;
    if (is_as_profiled(placement)) return wall_s_;
    const auto simulated = simulated_time_s(*scenario_.script, scenario_.hct, placement);
    if (!simulated) return std::nullopt;
    const double all_s = std::max(before_s, wall_s_ * scenario_.script->covered);
    const double time_s = wall_s_ * (1.0 + (simulated.value() - before_s) / all_s);
    if (!std::isfinite(time_s)) return std::nullopt;  // a file may have times of any length
    return time_s;
}

bool Prediction::is_as_profiled(Placement placement) const {
    if (!profiled_) return std::ranges::equal(placement, scenario_.default_placement);
    const Hct& then = profiled_->hct;
    if (then.num_nodes() != scenario_.hct.num_nodes()) return false;
    for (NodeId node = 0; node < then.num_nodes(); ++node)
        if (then.node(node).name != scenario_.hct.node(node).name ||
            then.node(node).num_pus != scenario_.hct.node(node).num_pus)
            return false;
    return std::ranges::equal(placement, profiled_->pu_of_rank);
}

bool Prediction::simulate(Candidate& candidate) const {
    const auto simulated = simulated_s(candidate.pu_of_rank);
    candidate.simulated = simulated.has_value();
    if (simulated) candidate.predicted_s = *simulated;
    return candidate.simulated;
}

}  // namespace commmap
