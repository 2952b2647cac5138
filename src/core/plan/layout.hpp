#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// How many tasks Slurm puts on each node of an allocation when nothing else is asked for: every
/// node gets one task in turn until its CPUs are used up (src/common/slurm_step_layout.c,
/// _task_layout_block without CR_Pack_Nodes, 22.05 to 25.05). Ranks are then dealt out in blocks of
/// these counts.
///
/// @param cpus_per_node  CPUs of this job on each node, in node-list order
/// @return               tasks per node; trailing nodes may get none
/// invalid_input when there are more tasks than CPUs: Slurm would share CPUs, and that is not ours
/// to decide. Cost: O(nodes + tasks).
[[nodiscard]] Result<std::vector<std::uint32_t>> default_tasks_per_node(
    std::span<const std::uint32_t> cpus_per_node, std::uint32_t num_tasks);

/// The nodes in the order in which Slurm fills them: that of the node list, or that of the tree.
[[nodiscard]] std::vector<NodeId> node_order_of(const Hct& hct, bool topology_order);

/// default_tasks_per_node() with the nodes taken in another order.
///
/// @param order  a permutation of the nodes
/// @param room   tasks that fit on each node, in node-list order
/// @return       tasks per node, in node-list order; errors as there
[[nodiscard]] Result<std::vector<std::uint32_t>> dealt_in_order(std::span<const NodeId> order,
                                                                std::span<const std::uint32_t> room,
                                                                std::uint32_t num_ranks);

/// The node of each rank when the nodes are filled one after the other in this order.
[[nodiscard]] std::vector<std::uint32_t> block_layout(
    std::span<const NodeId> order, std::span<const std::uint32_t> tasks_per_node);

/// Tasks on each node of a layout, in node-list order.
///
/// @param layout  the node of each rank
/// @param room    tasks that fit on each node
/// invalid_input when it is of other ranks or nodes, or more tasks are on a node than fit.
[[nodiscard]] Result<std::vector<std::uint32_t>> tasks_per_node_of(
    std::span<const std::uint32_t> layout, std::span<const std::uint32_t> room,
    std::uint32_t num_ranks);

/// The PUs that stand for the tasks' CPUs: each node is divided among its tasks as divide_cpus()
/// does it, and the first PU of a place is its candidate PU. Ascending.
/// @pre tasks_per_node[n] * cpus_per_task <= PUs of node n, cpus_per_task > 0
[[nodiscard]] std::vector<PuId> choose_candidate_pus(const Hct& hct,
                                                     std::span<const std::uint32_t> tasks_per_node,
                                                     std::uint32_t cpus_per_task = 1);

/// Slurm's block placement on these candidate PUs: consecutive ranks fill node after node in
/// node-list order. (The mapper `linear` fills in tree order, which differs when the cluster YAML
/// lists the nodes in another order than the job.)
[[nodiscard]] std::vector<PuId> block_placement(const Hct& hct,
                                                std::span<const PuId> candidate_pus);

/// Given the node of each rank: the k-th rank on a node takes the k-th of the candidate PUs there.
/// @pre every node has as many candidate PUs as ranks
[[nodiscard]] std::vector<PuId> placement_on_nodes(const Hct& hct,
                                                   std::span<const PuId> candidate_pus,
                                                   std::span<const std::uint32_t> node_of_rank);

/// Slurm's cyclic placement: one rank per node in turn, in node-list order, skipping full nodes.
[[nodiscard]] std::vector<PuId> cyclic_placement(const Hct& hct,
                                                 std::span<const PuId> candidate_pus);

}  // namespace commmap
