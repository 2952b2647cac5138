// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// Works out how many tasks Slurm puts on each node by default. Every node gets one task in turn
/// until its CPUs are used up. Ranks are then dealt out in blocks of these counts.
///
/// @param cpus_per_node  CPUs of this job on each node, in node-list order
/// @return               tasks on each node; the last nodes may get none
/// Errors: invalid_input when there are more tasks than CPUs. Slurm would share CPUs then, which
/// commmap does not decide.
/// Cost: O(nodes + tasks).
/// Source: Slurm 22.05 to 25.05, src/common/slurm_step_layout.c, _task_layout_block without
/// CR_Pack_Nodes.
[[nodiscard]] Result<std::vector<std::uint32_t>> default_tasks_per_node(
    std::span<const std::uint32_t> cpus_per_node, std::uint32_t num_tasks);

/// Returns the order in which Slurm fills the nodes: that of the tree when topology_order is set,
/// else that of the node list.
[[nodiscard]] std::vector<NodeId> node_order_of(const Hct& hct, bool topology_order);

/// Does the same as default_tasks_per_node(), with the nodes taken in another order.
///
/// @param order  a permutation of the nodes
/// @param room   tasks that fit on each node, in node-list order
/// @return       tasks on each node, in node-list order
/// Errors: as default_tasks_per_node().
[[nodiscard]] Result<std::vector<std::uint32_t>> dealt_in_order(std::span<const NodeId> order,
                                                                std::span<const std::uint32_t> room,
                                                                std::uint32_t num_ranks);

/// Returns the node of each rank when the nodes are filled one after the other in `order`.
[[nodiscard]] std::vector<std::uint32_t> block_layout(
    std::span<const NodeId> order, std::span<const std::uint32_t> tasks_per_node);

/// Counts the tasks on each node of a layout, in node-list order.
///
/// @param layout  the node of each rank
/// @param room    tasks that fit on each node
/// Errors: invalid_input when the layout has another number of ranks or an unknown node, or puts
/// more tasks on a node than fit.
[[nodiscard]] Result<std::vector<std::uint32_t>> tasks_per_node_of(
    std::span<const std::uint32_t> layout, std::span<const std::uint32_t> room,
    std::uint32_t num_ranks);

/// Chooses one candidate PU for each task. Each node's CPUs are divided among its tasks by
/// divide_cpus(); the first PU of each CPU set is a candidate PU.
/// @return  ascending
/// @pre tasks_per_node[n] * cpus_per_task <= PUs of node n, cpus_per_task > 0
[[nodiscard]] std::vector<PuId> choose_candidate_pus(const Hct& hct,
                                                     std::span<const std::uint32_t> tasks_per_node,
                                                     std::uint32_t cpus_per_task = 1);

/// Slurm's block placement on these candidate PUs: consecutive ranks fill node after node, in
/// node-list order. The mapper `linear` fills the nodes in tree order instead. The two differ when
/// the cluster YAML lists the nodes in another order than the job.
[[nodiscard]] std::vector<PuId> block_placement(const Hct& hct,
                                                std::span<const PuId> candidate_pus);

/// Turns the node of each rank into a placement: the k-th rank on a node takes the k-th candidate
/// PU there.
/// @pre every node has as many candidate PUs as ranks
[[nodiscard]] std::vector<PuId> placement_on_nodes(const Hct& hct,
                                                   std::span<const PuId> candidate_pus,
                                                   std::span<const std::uint32_t> node_of_rank);

/// Slurm's cyclic placement: each node gets one rank in turn, in node-list order; full nodes are
/// skipped.
[[nodiscard]] std::vector<PuId> cyclic_placement(const Hct& hct,
                                                 std::span<const PuId> candidate_pus);

}  // namespace commmap
