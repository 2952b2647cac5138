#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commmap/deadline.hpp"
#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/estimate/run_cost.hpp"
#include "core/profile/comm_graph.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// What a mapper is asked: put rank r of `graph` on one of `candidate_pus`, each candidate PU at
/// most one rank.
struct MappingProblem {
    const CommGraph& graph;
    const Hct& hct;
    /// PUs that may be used, ascending, distinct, at least graph.num_ranks().
    std::span<const PuId> candidate_pus;
    /// Node that rank 0 must be on; no_id: anywhere.
    NodeId rank0_node = no_id;
    /// The port cost of linear_placement(), when it is known already.
    std::optional<PortCost> linear_cost = {};
    /// The steps of the run, where they are known, and how its time grows with them. Searches
    /// lower that time. The whole run is that of graph and hct. None: who needs it makes one,
    /// without steps.
    std::shared_ptr<const RunCost> run = nullptr;
    RunTime time = {};
};

[[nodiscard]] std::shared_ptr<const PortTable> ports_of(const MappingProblem& problem);
[[nodiscard]] std::shared_ptr<const RunCost> run_of(const MappingProblem& problem);

struct MapperOptions {
    std::uint64_t seed = 1;
    /// Upper bound of objective evaluations for the mappers that search; they are counted, not
    /// timed, so that the same input gives the same placement on any machine. 0: the mapper's own
    /// default.
    std::uint64_t max_evaluations = 0;
    /// A mapper that searches returns the best so far when it has passed, metis fails; without
    /// one nothing depends on the clock.
    Deadline deadline = {};
    unsigned threads = 1;  ///< how many does not change what is found
};

struct Mapping {
    std::vector<PuId> pu_of_rank;  ///< length num_ranks, distinct, all out of candidate PUs
    std::vector<std::string>
        notes;  ///< what the user should know: one line each ("METIS failed: ...; used greedy")
    std::optional<PortCost> port_cost = {};  ///< when it had to be worked out anyway
    bool cut_short = false;  ///< the deadline ended it: with more time there may be a better one
    std::uint64_t evaluations = 0;  ///< of a search: so many placements were looked at
    bool linear_instead = false;    ///< fall_back_to_linear() put linear's placement here
};

/// invalid_input when there are fewer candidate PUs than ranks, a candidate PU does not exist or
/// stands twice, or rank 0's node has no candidate PU. Every mapper calls it first.
[[nodiscard]] Status check_problem(const MappingProblem& problem);

}  // namespace commmap
