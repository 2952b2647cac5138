// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "commmap/result.hpp"
#include "core/estimate/run_cost.hpp"
#include "core/plan/planner.hpp"
#include "core/profile/profile.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// The placement in which a profile was recorded.
struct ProfiledPlacement {
    Hct hct;
    std::vector<PuId> pu_of_rank;
};

/// Predicts the run time of a program in a placement. There are two ways: simulating the run, which
/// knows who waits for whom, or the costs of the run's parts, which are cheap enough for a search.
///
/// By the costs:
/// - The time outside MPI stays as it was in the profiled run.
/// - The time in MPI (mean over the ranks) is split into the cost of the profiled placement and the
///   rest above that cost.
/// - A part of the rest grows with the costs, as messages that wait for each other do. The other
///   part stays: waiting for ranks that compute longer, and what no order of ranks changes.
/// - The part that grows does so with the costs of the steps. Each step's own measured time is not
///   used. Ranks that are early in one step wait in the next, and predictions by these times were
///   worse (docs/developer/steps.md).
///
/// A placement has two costs: that of the steps one after the other, and that of the whole run at
/// once. Ranks do not go from step to step together, and the truth lies between the two. As far as
/// the cost of the whole run explains the time in MPI, the larger of the two times is predicted. So
/// a gain counts only if both costs show it.
///
/// Source: Sweeney, Wisniewski, Cascaval, Smith, Sec. 7.1: estimated speedup = change of cost *
/// share of time in MPI.
/// Differs from the paper:
/// - The denominator is the cost of the placement that was profiled (the profile has the node of
///   each rank), not that of the linear placement.
/// - The run is divided into steps.
/// - Time in MPI that the cost does not explain is not scaled.
/// A profile without times in MPI (COMMMAP_RECORD_TIME=0) counts as all communication, explained by
/// the cost. A profile without a wall time too (an imported one) counts as having run as long as
/// its cost.
///
/// Not thread-safe: the profiled placement is simulated when it is first needed.
class Prediction {
public:
    /// The share of the MPI time above the cost that grows with the cost. Real transfers take
    /// longer than the model says, because ports are shared unevenly and ranks wait for late ones.
    /// Set on the training half of bench/estimate (docs/developer/prediction.md).
    static constexpr double growing_share = 0.4;
    /// The most MPI time above the cost, in multiples of the cost, that may grow. More than that
    /// has another cause: ranks that compute longer.
    static constexpr double most_overhead = 1.0;

    /// Takes Slurm's default placement for the profiled one when the profiled run's nodes are not
    /// all in this cluster, or its ranks do not fit their PUs.
    /// @param scenario  of the profile; must outlive the prediction
    Prediction(const Profile& profile, const Scenario& scenario, const Cluster& cluster);
    Prediction(const Profile& profile, Scenario&& scenario, const Cluster& cluster) = delete;

    /// Returns the run time by simulation of the run's rounds (docs/developer/simulation.md): the
    /// time of the profiled run plus the difference of the two simulated times. When the simulation
    /// of the profiled placement takes longer than that part of the run did, the ratio of the
    /// simulated times counts instead.
    /// @return  nullopt when the profile has no rounds, or they cannot be simulated
    /// Cost: that of simulated_time_s(); twice that the first time.
    [[nodiscard]] std::optional<double> simulated_s(Placement placement) const;
    /// Sets the candidate's predicted time to the simulated time. @return  false: there is none
    bool simulate(Candidate& candidate) const;
    /// Returns the run time by the costs.
    /// @param parts_s  as in Candidate
    [[nodiscard]] double run_time_s(std::span<const double> parts_s) const {
        return time_.of(parts_s.data());
    }
    /// Returns the formula of run_time_s().
    [[nodiscard]] const RunTime& time() const { return time_; }
    [[nodiscard]] double profiled_cost_s() const { return profiled_cost_s_; }
    [[nodiscard]] double share_in_mpi() const { return share_in_mpi_; }
    /// Returns the share of the time in MPI that grows with the cost.
    [[nodiscard]] double explained_share() const { return explained_share_; }
    /// Tells whether the profile has times in MPI.
    [[nodiscard]] bool share_known() const { return share_known_; }
    /// Tells whether the profiled placement is known; else Slurm's default stands for it.
    [[nodiscard]] bool profiled_placement_known() const { return profiled_.has_value(); }

private:
    /// Simulated time of the rounds in the profiled placement; 0: not known.
    [[nodiscard]] double simulated_profiled_s() const;
    /// Tells whether each rank is on the same CPU of the same node as in the profiled run, so that
    /// the simulation would give the same time.
    [[nodiscard]] bool is_as_profiled(Placement placement) const;

    const Scenario& scenario_;
    std::optional<ProfiledPlacement> profiled_;
    double wall_s_ = 0.0;  ///< of the profiled run
    mutable std::optional<double> simulated_profiled_s_;
    RunTime time_;
    double share_in_mpi_ = 0.0;
    double explained_share_ = 0.0;
    bool share_known_ = false;
    double profiled_cost_s_ = 0.0;
};

}  // namespace commmap
