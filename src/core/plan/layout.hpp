#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"
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

/// The PUs that a job uses: on each node `tasks` of them, spread evenly over its packages, caches
/// and cores, one per core while there are cores. Ascending. @pre tasks_per_node[n] <= PUs of node
/// n
[[nodiscard]] std::vector<PuId> choose_slots(const Hct& hct,
                                             std::span<const std::uint32_t> tasks_per_node);

/// Slurm's block placement on these slots: consecutive ranks fill node after node in node-list
/// order. (The mapper `linear` fills in tree order, which differs when the cluster YAML lists the
/// nodes in another order than the job.)
[[nodiscard]] std::vector<PuId> block_placement(const Hct& hct, std::span<const PuId> slots);

/// Slurm's cyclic placement: one rank per node in turn, in node-list order, skipping full nodes.
[[nodiscard]] std::vector<PuId> cyclic_placement(const Hct& hct, std::span<const PuId> slots);

}  // namespace commmap
