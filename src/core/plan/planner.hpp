#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/deadline.hpp"
#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/base/collective_rules.hpp"
#include "core/config/options.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/estimate/port_table.hpp"
#include "core/estimate/run_cost.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/gain.hpp"
#include "core/profile/profile.hpp"
#include "core/simulation/run_script.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// What one job is: the tree of its allocation, the PUs its ranks will use, and the traffic between
/// the ranks.
struct Scenario {
    Hct hct;
    std::vector<std::uint32_t> tasks_per_node;  ///< in node-list order
    std::vector<PuId> candidate_pus;            ///< ascending
    std::vector<PuId> default_placement;        ///< Slurm's own, of each rank
    CommGraph graph;
    std::vector<std::string> notes;  ///< for the user, one line each
    /// The graph lacks the collectives, which would be too many messages: costs are of the rest
    /// only, and a gain in them says little about the run.
    bool collectives_missing = false;
    /// What is sent in each step of the run. Empty: steps are not known, or there is one.
    std::vector<StepGraph> steps = {};
    std::shared_ptr<const RunCost> run = nullptr;  ///< of the steps and of graph, on hct
    std::string no_steps_because = {};  ///< of a profile with rounds, which cannot be lined up
    std::shared_ptr<const RunScript> script = nullptr;  ///< none: the run cannot be simulated
};

/// How Slurm lays a step out.
struct SlurmLayout {
    /// The node of each rank; empty: block, over all nodes of the allocation.
    std::vector<std::uint32_t> node_of_rank;
    /// Block in the order of the tree, not of the node list (Slurm 26.05 with a topology plugin).
    bool topology_order = false;
    std::uint32_t cpus_per_task = 1;
};

/// Errors: invalid_input when the profile is of another number of ranks, there are more ranks than
/// CPUs, on a node or at all, or the layout is of other ranks or nodes; those of build_hct.
/// @param rules  of collectives; empty: those of the profile's MPI library
[[nodiscard]] Result<Scenario> make_scenario(const Profile& profile, const Cluster& cluster,
                                             const Allocation& allocation, std::uint32_t num_ranks,
                                             const SlurmLayout& layout = {},
                                             std::optional<CollectiveRules> rules = {});

struct Candidate {
    std::string name;
    std::vector<PuId> pu_of_rank;
    /// Of the whole run; its cost that of all steps one after the other, where steps are known.
    PortCost port_cost;
    std::vector<double> parts_s = {};  ///< costs of the steps and of the whole run, see RunCost
    /// 0 in a Plan, which does not look at it. T(X) takes messages that share a link as alone, so
    /// it cannot say what a run would gain.
    double process_time_s = 0.0;
    double hop_bytes = 0.0;
    double by_costs_s = 0.0;   ///< run time, see Prediction::run_time_s()
    double predicted_s = 0.0;  ///< the same, or by simulation
    bool simulated = false;    ///< predicted_s is simulated
    bool cut_short = false;    ///< see Mapping
    /// Linear's placement stands here, for it costs less than the mapper's own; see Mapping.
    bool linear_instead = false;
};

/// All figures of one placement except predicted times.
[[nodiscard]] Result<Candidate> evaluate(std::string name, std::vector<PuId> pu_of_rank,
                                         const Scenario& scenario);

struct Plan;

/// What a plan that was cut short had come to, for the plan that goes on from there.
struct EarlierPlan {
    struct Tried {
        std::string name;  ///< of the candidate
        std::vector<PuId> pu_of_rank;
        bool cut_short = false;
        bool linear_instead = false;
    };
    std::vector<Tried> tried;
    std::vector<std::string> notes;  ///< Plan::notes
    unsigned times_continued = 0;    ///< before; another number, another continuation

    /// By the candidate's name; nullptr: it was not tried.
    [[nodiscard]] const Tried* find(std::string_view name) const;
};

struct PlannerOptions {
    double threshold_percent = 5.0;
    std::uint64_t seed = 1;
    bool rank0_free = false;
    LayoutConstraint keep = LayoutConstraint::none;
    unsigned threads = 1;  ///< how many does not change the plan
    /// When it has passed, the plan is the best of what was tried so far.
    Deadline deadline = {};
    std::span<const MapperInfo> mappers = mapper_table();
    /// Called with Slurm's own placement, with the first candidate beside it, then whenever a
    /// candidate is better than those before: what the plan would be without those that are still
    /// to come. Must not throw. It is for who cannot wait for a mapper that does not look at the
    /// deadline.
    std::function<void(const Plan& so_far)> on_better = {};
    /// A plan of the same scenario. What it tried is not tried again, but for a search that was cut
    /// short, which goes on from its placement. All its placements are candidates of this plan,
    /// even where the deadline has passed: the best is never dearer than the earlier plan's. A
    /// mapper that was cut short stays so: whoever goes on has less time.
    const EarlierPlan* earlier = nullptr;
};

/// The node that rank 0 stays on: Slurm's first; no_id when it may go anywhere.
[[nodiscard]] NodeId rank0_node(const Scenario& scenario, bool rank0_free);

/// What mappers are asked. The scenario must outlive it.
/// @param time  how the run time grows with the parts of scenario.run: Prediction::time()
[[nodiscard]] MappingProblem mapping_problem(const Scenario& scenario, const RunTime& time,
                                             bool rank0_free);

struct Plan {
    /// 0: Slurm's default ("slurm"), then one of each mapper, or candidate_placements()
    std::vector<Candidate> candidates;
    /// Fastest by simulation; where there is none by the costs, then port cost, hop-bytes, order.
    std::size_t best = 0;
    bool keep_default = true;   ///< the best is not worth it, or is the default
    double gain_percent = 0.0;  ///< predicted, best against default; of the run time
    Gain gain;                  ///< the same, with its bounds
    double share_in_mpi = 0.0;
    bool profiled_placement_known = false;
    /// A candidate or the whole plan had less time than it would take: another run may find another
    /// plan.
    bool cut_short = false;
    bool ended_by_deadline = false;  ///< something is left to be tried, or to be gone on with
    bool left_out = false;  ///< a mapper threw (no memory): with more there may be another plan
    std::vector<std::string> notes;

    [[nodiscard]] const Candidate& chosen() const { return candidates[keep_default ? 0 : best]; }
};

/// Tries every candidate mapper, or what candidate_placements() finds under options.keep. Estimates
/// each placement by its costs, simulates the run in the cheapest ones (where it has rounds and
/// there is time), takes the fastest, and keeps Slurm's default when the predicted gain is below
/// the threshold, or may be none.
///
/// Where linear costs less than the placement of a mapper with or_linear_in_plans, linear's stands
/// there. Of the mappers that refine a placement two are tried: those whose placements are the
/// cheapest, and never two whose placements are equal (EqualPlacements). A refined mapper starts
/// from the placement of the mapper that it refines.
///
/// A mapper that fails or throws a std::exception is left out, with a note. Errors: those of
/// candidate_placements(). Same input, same plan, unless it is cut short. Cost: that of the
/// mappers.
[[nodiscard]] Result<Plan> make_plan(const Scenario& scenario, const Profile& profile,
                                     const Cluster& cluster, const PlannerOptions& options);

}  // namespace commmap
