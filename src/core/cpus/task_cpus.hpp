#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "commmap/result.hpp"
#include "core/cpus/cpu_masks.hpp"
#include "core/cpus/node_cpus.hpp"

namespace commmap {

/// What the local tasks of a step may use on their node, and how much of it each.
struct CpuShare {
    CpuSet cpus;  ///< of all local tasks together
    std::uint32_t cpus_per_task = 0;
};

/// As Slurm gave it: the union of its masks, without masks `current`, what the task may use. Masks
/// of one size that do not overlap keep that size, which is more than cpus_per_task where Slurm
/// gives whole cores.
///
/// out_of_range where the tasks do not fill it: without masks other jobs may be there too (nothing
/// confines this one), and a threaded program would lose the CPUs that Slurm left it. Binding is
/// Slurm's then. @pre num_tasks > 0
[[nodiscard]] Result<CpuShare> cpu_share(std::span<const CpuSet> masks, const CpuSet& current,
                                         std::size_t num_tasks, std::uint32_t cpus_per_task);

/// The CPUs for one task: of the places into which divide_cpus() divides the node among its tasks
/// the one whose number is in `cpu_sets`. Errors: out_of_range (too few CPUs, no such place).
[[nodiscard]] Result<CpuSet> choose_cpus(const NodeCpus& node, std::uint32_t cpus_per_task,
                                         std::span<const std::uint32_t> cpu_sets,
                                         std::size_t local_id);

/// What a task is to be bound to.
struct TaskOfNode {
    std::uint32_t cpus_per_task = 1;
    std::span<const std::uint32_t> cpu_sets;  ///< the index of each local task's
    std::size_t local_id = 0;                 ///< this task: index into cpu_sets
};

/// The CPUs for one task, from what Slurm lets the tasks of the node use: cpu_share(), then
/// part_of_node(), then choose_cpus(). Errors: theirs.
[[nodiscard]] Result<CpuSet> cpus_of_task(const NodeCpus& node, std::span<const CpuSet> masks,
                                          const CpuSet& current, const TaskOfNode& task);

}  // namespace commmap
