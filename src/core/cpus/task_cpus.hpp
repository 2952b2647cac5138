// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "commmap/result.hpp"
#include "core/cpus/cpu_masks.hpp"
#include "core/cpus/node_cpus.hpp"

namespace commmap {

/// The CPUs that the local tasks of a step may use on their node, and how many CPUs each task gets.
struct CpuShare {
    CpuSet cpus;  ///< of all local tasks together
    std::uint32_t cpus_per_task = 0;
};

/// Works out the tasks' CPUs from what Slurm gave them.
///
/// @param masks    the CPU masks of the tasks; empty: Slurm set none
/// @param current  the CPUs that the calling task may use; they count when there are no masks
/// @return         cpus: the union of the masks. cpus_per_task: the size of the masks when all have
///                 one size and none overlap; else an equal share of the union for each task. The
///                 size may exceed the argument, because Slurm gives whole cores
/// @pre num_tasks > 0
/// Errors: out_of_range when the tasks do not fill these CPUs, or have fewer than cpus_per_task
/// each. Binding then stays with Slurm, for two reasons: without masks other jobs may use the same
/// CPUs, and a threaded program would lose CPUs that Slurm left it.
[[nodiscard]] Result<CpuShare> cpu_share(std::span<const CpuSet> masks, const CpuSet& current,
                                         std::size_t num_tasks, std::uint32_t cpus_per_task);

/// Chooses the CPUs of one local task. divide_cpus() divides the node among the tasks; the task
/// gets the CPU set whose index is cpu_sets[local_id].
/// Errors: out_of_range when there are too few CPUs or no such CPU set.
[[nodiscard]] Result<CpuSet> choose_cpus(const NodeCpus& node, std::uint32_t cpus_per_task,
                                         std::span<const std::uint32_t> cpu_sets,
                                         std::size_t local_id);

/// One task of a node, with the CPU sets of all tasks there: what cpus_of_task() needs to know.
struct TaskOfNode {
    std::uint32_t cpus_per_task = 1;
    std::span<const std::uint32_t> cpu_sets;  ///< of each local task, the index of its CPU set
    std::size_t local_id = 0;                 ///< this task: index into cpu_sets
};

/// Returns the CPUs for one task, from what Slurm lets the tasks of the node use: cpu_share(), then
/// part_of_node(), then choose_cpus().
/// Errors: theirs.
[[nodiscard]] Result<CpuSet> cpus_of_task(const NodeCpus& node, std::span<const CpuSet> masks,
                                          const CpuSet& current, const TaskOfNode& task);

}  // namespace commmap
