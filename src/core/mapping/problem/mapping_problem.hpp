// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// The question that a mapper answers: put each rank of `graph` on one of `candidate_pus`, at most
/// one rank on each PU.
struct MappingProblem {
    const CommGraph& graph;
    const Hct& hct;
    /// PUs that ranks may take: ascending, distinct, at least graph.num_ranks().
    std::span<const PuId> candidate_pus;
    /// The node that rank 0 must be on; no_id: any node.
    NodeId rank0_node = no_id;
    /// Port cost of linear_placement(); empty: not worked out yet.
    std::optional<PortCost> linear_cost = {};
    /// Costs of the steps of the run and of the whole run, on `graph` and `hct`; nullptr: run_of()
    /// makes one without steps. Searches lower the run time that `time` makes of these costs.
    std::shared_ptr<const RunCost> run = nullptr;
    RunTime time = {};  ///< how the run time grows with the costs in `run`
};

/// Returns the port table of the problem's graph and tree: that of problem.run, or a new one.
[[nodiscard]] std::shared_ptr<const PortTable> ports_of(const MappingProblem& problem);
/// problem.run, or a new one without steps.
[[nodiscard]] std::shared_ptr<const RunCost> run_of(const MappingProblem& problem);

struct MapperOptions {
    std::uint64_t seed = 1;
    /// The most placements that a search may evaluate; 0: the mapper's own default. Evaluations are
    /// counted instead of timed, so that the same input gives the same placement on any machine.
    std::uint64_t max_evaluations = 0;
    /// When the deadline has passed, a mapper that searches returns its best placement so far, and
    /// `metis` fails. Without a deadline the result does not depend on the clock.
    Deadline deadline = {};
    unsigned threads = 1;  ///< the number does not change the result
};

struct Mapping {
    std::vector<PuId> pu_of_rank;    ///< length num_ranks, distinct; candidate PUs only
    std::vector<std::string> notes;  ///< for the user, one line each ("METIS failed (...): ...")
    std::optional<PortCost> port_cost = {};  ///< set when the mapper worked it out anyway
    /// the deadline ended the search: with more time the placement may be better
    bool cut_short = false;
    std::uint64_t evaluations = 0;  ///< of a search: the number of placements that it evaluated
    bool linear_instead = false;    ///< fall_back_to_linear() replaced the placement by linear's
};

/// Checks a problem; every mapper calls it first.
/// Errors: invalid_input when there are fewer candidate PUs than ranks, when a candidate PU does
/// not exist or is listed twice, or when rank 0's node has no candidate PU.
[[nodiscard]] Status check_problem(const MappingProblem& problem);

}  // namespace commmap
