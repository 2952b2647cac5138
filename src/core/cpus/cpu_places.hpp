#pragma once

#include <cstdint>
#include <vector>

#include "commmap/result.hpp"
#include "core/cpus/cpu_tree.hpp"

namespace commmap {

/// CPUs of one task, ascending, as CpuTree numbers them.
using CpuPlace = std::vector<std::uint32_t>;

/// Divides a machine among tasks: `num_tasks` places of `cpus_per_place` CPUs each, no CPU in two.
///
/// A place lies below the smallest group that has room for it, and in two groups only when as many
/// as possible lie in one; those that do have CPUs of as few groups as possible (choose_runs() in
/// cpu_runs.hpp). Places are spread over the groups of a level as evenly as their sizes allow, so
/// that there is one per core while there are cores, on a machine of equal cores.
///
/// The planner and the tasks' side count places in this order, each on its own tree of the same
/// machine: what they tell each other is the number of a place.
///
/// @return  in the order of their first CPUs
/// Errors: out_of_range when there are fewer CPUs than that; invalid_input for places of no CPU.
/// Cost: O(CPUs * depth), and that of choose_runs() for the places that lie in several groups.
[[nodiscard]] Result<std::vector<CpuPlace>> divide_cpus(const CpuTree& tree,
                                                        std::uint32_t num_tasks,
                                                        std::uint32_t cpus_per_place);

}  // namespace commmap
