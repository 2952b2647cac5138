#pragma once

#include <span>

#include "core/estimate/port_table.hpp"
#include "core/mapping/machine_tree.hpp"
#include "core/mapping/weighted_graph.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// A job as the mapping engine sees it: a tree of equal levels, and a graph whose weights are
/// times.
struct EngineProblem {
    WeightedGraph graph;
    MachineTree machine;
};

/// The slots of an Hct as a MachineTree: elements that leave no choice are passed over; where some
/// branches have fewer levels than others, groups with one child stand in for them. A byte costs on
/// a level's links what all messages of the job would take there on average, so that latencies
/// count; unlike links of one level count as their mean. Edges weigh what the messages of two ranks
/// take where messages take the longest.
///
/// @param slots  ascending, at least one
/// Errors: those of MachineTree::of_shape(). Cost: O(messages * port classes + elements).
[[nodiscard]] Result<EngineProblem> engine_problem(const PortTable& ports, const Hct& hct,
                                                   std::span<const PuId> slots);

}  // namespace commmap
