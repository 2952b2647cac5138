#pragma once

#include <span>

#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"
#include "core/estimate/port_table.hpp"
#include "core/topology/hct.hpp"
#include "core/tree_mapping/objective.hpp"

namespace commmap {

/// A job as the mapping engine sees it: a tree of equal levels, and a graph whose weights are times
/// or bytes.
struct EngineProblem {
    WeightedGraph graph;
    MachineTree machine;
};

/// The candidate PUs of an Hct as a MachineTree: elements that leave no choice are passed over;
/// where some branches have fewer levels than others, groups with one child stand in for them.
/// Unlike links of one level count as their mean.
/// - port_cost: a byte costs on a level's links what all messages of the job would take there on
///   average, so that latencies count. Edges weigh what the messages of two ranks take where
///   messages take the longest.
/// - process_time: edges weigh the same; the distance of two PUs is the dearest level on the way
///   instead of the sum of all.
/// - hop_bytes: edges weigh bytes, and a link costs 1, levels without a choice included.
///
/// @param candidate_pus  ascending, at least one
/// Errors: those of MachineTree::of_shape(). Cost: O(messages * port classes + elements).
[[nodiscard]] Result<EngineProblem> engine_problem(const PortTable& ports, const Hct& hct,
                                                   std::span<const PuId> candidate_pus,
                                                   Objective objective = Objective::port_cost);

}  // namespace commmap
