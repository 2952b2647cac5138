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

/// Where the ranks of a profiled run were.
struct ProfiledPlacement {
    Hct hct;
    std::vector<PuId> pu_of_rank;
};

/// Predicts the run time in a placement: by simulating the run, which knows who waits for whom, or
/// by the costs of the run's parts, which are cheap to change in a search.
///
/// By the costs: what the profiled run spent outside MPI stays. The time in MPI (mean over the
/// ranks) is the cost of the profiled placement and what comes on top of that cost. Of the latter a
/// part grows with the costs, as messages that wait for each other do; the rest stays: waiting for
/// ranks that compute longer, and what no order of ranks changes. The part that grows does so with
/// the costs of the steps. Each step's own measured time is not looked at: ranks that are early in
/// one step wait in the next, and predictions by these times were worse (docs/developer/steps.md).
///
/// A placement has two costs: that of the steps one after the other, and that of the whole run at
/// once. Ranks do not go from step to step together, and the truth lies between the two. As far as
/// the cost of the whole run explains the time in MPI, the larger time is predicted: a gain that
/// one of the two denies is none.
///
/// Source: Sweeney, Wisniewski, Cascaval, Smith, Sec. 7.1 (estimated speedup = change of cost *
/// share of time in MPI). Differs from the paper: the cost in the denominator is that of the
/// placement which was really profiled (the profile says where each rank ran), not that of the
/// linear one; steps; and what the cost does not explain is not scaled. A profile recorded without
/// times in MPI (COMMMAP_RECORD_TIME=0) is taken as all communication, which the cost explains. One
/// without a wall time either (imported) is taken to have run as long as its cost.
///
/// Not thread-safe: the profiled placement is simulated when it is first asked for.
class Prediction {
public:
    /// Real transfers take longer than the model says: ports are shared unevenly, and ranks wait
    /// for late ones. Of what comes on top of the cost, this share grows with the cost. Set on the
    /// training half of bench/estimate (docs/developer/prediction.md).
    static constexpr double growing_share = 0.4;
    /// More than so many times the cost is something else: ranks that compute longer.
    static constexpr double most_overhead = 1.0;

    /// Where the nodes of the profiled run are not all in this cluster, or their ranks do not fit
    /// its PUs, Slurm's default placement now is taken for that of the profiled run.
    /// @param scenario   of the profile; must outlive the prediction
    Prediction(const Profile& profile, const Scenario& scenario, const Cluster& cluster);
    Prediction(const Profile& profile, Scenario&& scenario, const Cluster& cluster) = delete;

    /// By simulating the rounds of the run (docs/developer/simulation.md): what the profiled run
    /// took, and the difference of the simulated times. Where the simulation takes longer in the
    /// profiled placement than that part of the run did, the ratio of the simulated times counts.
    /// Empty where the profile has no rounds, or they cannot be simulated. Cost: that of
    /// simulated_time_s(); the first time twice that.
    [[nodiscard]] std::optional<double> simulated_s(Placement placement) const;
    /// Notes the simulated time as the predicted one. @return false: there is none
    bool simulate(Candidate& candidate) const;
    /// By the costs. @param parts_s  as in Candidate
    [[nodiscard]] double run_time_s(std::span<const double> parts_s) const {
        return time_.of(parts_s.data());
    }
    /// Of the whole run, as run_time_s() reckons it.
    [[nodiscard]] const RunTime& time() const { return time_; }
    [[nodiscard]] double profiled_cost_s() const { return profiled_cost_s_; }
    [[nodiscard]] double share_in_mpi() const { return share_in_mpi_; }
    /// Of the time in MPI, what grows with the cost.
    [[nodiscard]] double explained_share() const { return explained_share_; }
    /// False when the profile has no times in MPI.
    [[nodiscard]] bool share_known() const { return share_known_; }
    /// False when Slurm's default placement is taken for it.
    [[nodiscard]] bool profiled_placement_known() const { return profiled_.has_value(); }

private:
    /// Simulated time of the rounds in the profiled placement; 0: not known.
    [[nodiscard]] double simulated_profiled_s() const;
    /// The same ranks on the same CPUs of the same nodes: the simulation would say the same.
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
