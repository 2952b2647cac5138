#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/profile/profile.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// What one job is: the tree of its allocation, the PUs its ranks will use, and the traffic between
/// the ranks.
struct Scenario {
    Hct hct;
    std::vector<std::uint32_t> tasks_per_node;  ///< in node-list order
    std::vector<PuId> slots;                    ///< ascending
    CommGraph graph;
    std::vector<std::string> notes;  ///< for the user, one line each
    /// The graph lacks the collectives, which would be too many messages: costs are of the rest
    /// only, and a gain in them says little about the run.
    bool collectives_missing = false;
};

/// Errors: invalid_input when the profile is of another number of ranks, or there are more ranks
/// than CPUs; those of build_hct.
[[nodiscard]] Result<Scenario> make_scenario(const Profile& profile, const Cluster& cluster,
                                             const Allocation& allocation, std::uint32_t num_ranks);

struct Candidate {
    std::string name;
    std::vector<PuId> pu_of_rank;
    PortCost port_cost;
    double process_time_s = 0.0;
    double hop_bytes = 0.0;
    double predicted_s = 0.0;  ///< of the whole run, see Prediction
};

/// All figures of one placement except predicted_s.
[[nodiscard]] Result<Candidate> evaluate(std::string name, std::vector<PuId> pu_of_rank,
                                         const Scenario& scenario);

struct PlannerOptions {
    double threshold_percent = 5.0;
    std::uint64_t seed = 1;
    bool rank0_free = false;
};

struct Plan {
    std::vector<Candidate> candidates;  ///< 0: Slurm's default ("block"), then one per mapper
    std::size_t best = 0;               ///< cheapest: port cost, then hop-bytes, then order
    bool keep_default = true;           ///< the best is not worth it, or is the default
    double gain_percent = 0.0;          ///< predicted, best against default; of the run time
    double share_in_mpi = 0.0;
    bool profiled_placement_known = false;
    std::vector<std::string> notes;

    [[nodiscard]] const Candidate& chosen() const { return candidates[keep_default ? 0 : best]; }
};

/// Tries every candidate mapper, estimates each placement, takes the cheapest, and keeps Slurm's
/// default when the predicted gain is below the threshold. A mapper that fails is left out, with a
/// note. Same input, same plan. Cost: that of the mappers.
[[nodiscard]] Result<Plan> make_plan(const Scenario& scenario, const Profile& profile,
                                     const Cluster& cluster, const PlannerOptions& options);

}  // namespace commmap
