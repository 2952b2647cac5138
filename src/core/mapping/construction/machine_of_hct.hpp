// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"
#include "core/estimate/port_table.hpp"
#include "core/topology/hct.hpp"
#include "core/tree_mapping/objective.hpp"

namespace commmap {

/// A job in the form that the mapping engine (core/tree_mapping) takes: a tree of equal levels, and
/// a graph whose edges weigh times or bytes.
struct EngineProblem {
    WeightedGraph graph;
    MachineTree machine;
};

/// Translates a job's traffic and its hardware tree into the mapping engine's graph and machine.
///
/// Elements that leave no choice are passed over. Where some branches have fewer levels than
/// others, groups with one child fill the gap. Links of one level that differ count as their mean.
/// Weights and distances depend on the objective:
/// - port_cost: on the links of a level a byte costs the time that all messages of the job would
///   take there, divided by their bytes, so that latencies count. An edge weighs the time that the
///   messages of its two ranks take on the links where messages take longest.
/// - process_time: edges weigh the same. The distance of two PUs is the cost of the dearest level
///   on the way, instead of the sum of all levels.
/// - hop_bytes: edges weigh bytes. Each link costs 1, and levels without a choice count too.
///
/// @param candidate_pus  ascending, at least one
/// Errors: as MachineTree::of_shape().
/// Cost: O(messages * port classes + elements).
[[nodiscard]] Result<EngineProblem> engine_problem(const PortTable& ports, const Hct& hct,
                                                   std::span<const PuId> candidate_pus,
                                                   Objective objective = Objective::port_cost);

}  // namespace commmap
