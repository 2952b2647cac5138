// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/deadline.hpp"
#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/config/options.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/earlier_plan.hpp"
#include "core/plan/gain.hpp"
#include "core/plan/scenario.hpp"
#include "core/profile/profile.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// A placement with its costs and predicted run time.
struct Candidate {
    std::string name;
    std::vector<PuId> pu_of_rank;
    /// Port cost of the whole run. Where steps are known, its cost_s is the sum over the steps.
    PortCost port_cost;
    std::vector<double> parts_s = {};  ///< costs of the steps and of the whole run, see RunCost
    /// Khoroshevsky's T(X); 0 in a Plan, which does not use it. T(X) counts messages that share a
    /// link as if each were alone, so it cannot say what a run would gain.
    double process_time_s = 0.0;
    double hop_bytes = 0.0;
    double by_costs_s = 0.0;   ///< run time predicted from the costs, see Prediction::run_time_s()
    double predicted_s = 0.0;  ///< run time by simulation where there is one, else by_costs_s
    bool simulated = false;    ///< predicted_s comes from a simulation
    bool cut_short = false;    ///< see Mapping
    /// Linear's placement stands here, because it costs less than the mapper's own; see Mapping.
    bool linear_instead = false;
};

/// Works out all figures of one placement except the predicted times.
[[nodiscard]] Result<Candidate> evaluate(std::string name, std::vector<PuId> pu_of_rank,
                                         const Scenario& scenario);

struct Plan;

struct PlannerOptions {
    double threshold_percent = 5.0;
    std::uint64_t seed = 1;
    bool rank0_free = false;
    LayoutConstraint keep = LayoutConstraint::none;
    unsigned threads = 1;  ///< the number does not change the plan
    /// When the deadline has passed, the plan is the best of the candidates tried so far.
    Deadline deadline = {};
    std::span<const MapperInfo> mappers = mapper_table();
    /// Called whenever the plan improves: with Slurm's own placement, with the first candidate, and
    /// then with each candidate that is better than those before. Its argument is the plan without
    /// the candidates that are still to come. It serves callers that cannot wait for a mapper that
    /// ignores the deadline. Must not throw.
    std::function<void(const Plan& so_far)> on_better = {};
    /// An earlier plan of the same scenario; nullptr: none. What it tried is not tried again,
    /// except for searches that were cut short, which go on from their placements. A mapper without
    /// a search that was cut short is not run again either, because less time is left now. All its
    /// placements are candidates of this plan, even when the deadline has passed, so that the new
    /// best is never dearer than the earlier best.
    const EarlierPlan* earlier = nullptr;
    /// For Plan::gain_in_runs, which decides nothing; none: no earlier run is known.
    std::optional<PastGains> past_gains = {};
};

/// Returns the node on which rank 0 has to stay: its node in Slurm's placement; no_id when rank 0
/// may go anywhere.
[[nodiscard]] NodeId rank0_node(const Scenario& scenario, bool rank0_free);

/// Makes the question for the mappers. The scenario must outlive it.
[[nodiscard]] MappingProblem mapping_problem(const Scenario& scenario, const RunTime& time,
                                             bool rank0_free);

/// The planner's answer, with all candidates and their costs.
struct Plan {
    /// Index 0 is Slurm's default ("slurm"). The others are one candidate of each mapper, or those
    /// of candidate_placements().
    std::vector<Candidate> candidates;
    /// Index of the best candidate: the fastest by simulation, else by the costs. Ties: the lower
    /// port cost, then the lower hop-bytes, then the earlier candidate.
    std::size_t best = 0;
    /// Slurm's default stays: it is the best, or the best gains too little
    bool keep_default = true;
    /// by which the predicted run time of the best falls below the default's
    double gain_percent = 0.0;
    Gain gain;  ///< the same as a factor, with its bounds
    /// The gains that runs measure (range_of_gains()); none: Slurm's default is the best, or no
    /// earlier run is known.
    std::optional<GainRange> gain_in_runs;
    double share_in_mpi = 0.0;
    bool profiled_placement_known = false;
    /// A candidate or the whole plan ran out of time: another planning may find another plan.
    bool cut_short = false;
    bool ended_by_deadline = false;  ///< something is left to be tried or continued
    bool left_out = false;  ///< a mapper threw (no memory): with more memory the plan may differ
    std::vector<std::string> notes;

    [[nodiscard]] const Candidate& chosen() const { return candidates[keep_default ? 0 : best]; }
};

/// Plans a job: makes candidate placements, predicts the run time in each, and decides whether to
/// use the best one or to keep Slurm's default.
///
/// 1. Every candidate mapper is tried, or what candidate_placements() finds when options.keep is
/// not none.
/// 2. Each placement is estimated by its costs. The run is then simulated in the cheapest
/// placements, if the profile has rounds and there is time.
/// 3. The fastest placement is chosen. Slurm's default stays when the predicted gain is below the
/// threshold, or may be none.
///
/// For a mapper with or_linear_in_plans, linear's placement is taken when it costs less. Of the
/// mappers that refine a placement two are tried: those whose placements are the cheapest, and
/// never two whose placements are equal (EqualPlacements). A refining mapper starts from the
/// placement of the mapper that it refines.
///
/// A mapper that fails or throws a std::exception is left out, with a note.
/// Errors: as candidate_placements().
/// Same input, same plan, unless it is cut short.
/// Cost: that of the mappers.
[[nodiscard]] Result<Plan> make_plan(const Scenario& scenario, const Profile& profile,
                                     const Cluster& cluster, const PlannerOptions& options);

}  // namespace commmap
