// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "commmap/result.hpp"
#include "core/cpus/cpu_tree.hpp"

namespace commmap {

/// The CPUs of one task (a CPU set), ascending, in the numbers of a CpuTree.
using CpuPlace = std::vector<std::uint32_t>;

/// Divides the CPUs of a node among its tasks: `num_tasks` CPU sets of `cpus_per_place` CPUs each.
/// No CPU is in two sets.
///
/// - Each task's CPUs come from the smallest core, cache or NUMA group that can hold them.
/// - First as many tasks as possible get CPUs inside one group. Only the remaining tasks span
///   groups, and then as few groups as possible (choose_runs() in cpu_runs.hpp).
/// - The tasks are spread over the groups of a level as evenly as the groups' sizes allow. On a
///   machine of equal cores each task gets a core of its own while there are cores.
///
/// The planner and the tasks' node both call this function, each on its own tree of the same node.
/// So they can name a CPU set by its index in the result.
///
/// @return  the CPU sets, in the order of their first CPUs
/// Errors: out_of_range when there are too few CPUs; invalid_input when a task has no CPU.
/// Cost: O(CPUs * depth), and that of choose_runs() for the tasks that span groups.
[[nodiscard]] Result<std::vector<CpuPlace>> divide_cpus(const CpuTree& tree,
                                                        std::uint32_t num_tasks,
                                                        std::uint32_t cpus_per_place);

}  // namespace commmap
