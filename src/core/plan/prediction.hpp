#pragma once

#include "core/base/result.hpp"
#include "core/plan/planner.hpp"
#include "core/profile/profile.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Turns a port cost into a predicted run time: what the profiled run spent outside MPI stays, what
/// it spent inside grows with the port cost.
///
/// predicted = wall * (1 - f + f * cost / cost of the profiled run), f = mean over ranks of (time
/// in MPI / wall time).
///
/// Where the steps of the run are known, a placement has two costs: that of the steps one after the
/// other, and that of the whole run at once. Ranks do not go from step to step together, and the
/// truth lies between the two. The prediction takes the larger of the two ratios. A gain that one
/// of them denies is none. Source: Sweeney, Wisniewski, Cascaval, Smith, Sec. 7.1 (estimated
/// speedup = change of cost * share of time in MPI). Differs from the paper: the cost in the
/// denominator is that of the placement which was really profiled (the profile says where each rank
/// ran), not that of the linear one. A profile recorded without times in MPI
/// (COMMMAP_RECORD_TIME=0) is taken as f = 1: the gain is that of the port cost. One without a wall
/// time either (imported) is taken to have run as long as its port cost.
class Prediction {
public:
    /// @param scenario   of the profile
    /// @param fallback   whose costs to compare with when the nodes of the profiled run are not all
    ///                   in this cluster, or their ranks do not fit its PUs: Slurm's default
    ///                   placement now
    Prediction(const Profile& profile, const Scenario& scenario, const Cluster& cluster,
               const Candidate& fallback);

    /// @param port_cost_s, whole_cost_s  as in Candidate
    [[nodiscard]] double run_time_s(double port_cost_s, double whole_cost_s) const;
    [[nodiscard]] double profiled_cost_s() const { return profiled_cost_s_; }
    [[nodiscard]] double share_in_mpi() const { return share_in_mpi_; }
    /// False when the profile has no times in MPI.
    [[nodiscard]] bool share_known() const { return share_known_; }
    /// False when the fallback is in use.
    [[nodiscard]] bool profiled_placement_known() const { return placement_known_; }

private:
    double wall_s_ = 0.0;
    double share_in_mpi_ = 0.0;
    bool share_known_ = false;
    double profiled_cost_s_ = 0.0;
    double profiled_whole_s_ = 0.0;
    bool placement_known_ = false;
};

}  // namespace commmap
