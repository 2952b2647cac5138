#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/mapping/machine_tree.hpp"

namespace commmap {

/// How many ranks each group gets, by level and group: as few groups of each as hold them, the ones
/// with the most PUs first, all full but the last. Slurm, which fills nodes in order, uses no
/// fewer.
/// @pre num_ranks <= machine.num_pus()
/// Cost: O(groups log arity).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> fill_groups(const MachineTree& machine,
                                                                  std::uint32_t num_ranks);

/// Chooses `target` of some ranks and puts them before the others.
/// @param depth  the ranks are for groups of this level, which differ by it
using Halve = std::function<void(std::span<RankId> ranks, std::size_t target, std::size_t depth)>;

/// The bin of each rank: all ranks are halved among the children of the root, the first so many
/// children and the rest, each half again until each child has its own ranks, and these among its
/// children, as fill_groups() says. Larger parts come first. Cost: one halving of each part.
[[nodiscard]] std::vector<GroupId> fill_by_halves(const MachineTree& machine,
                                                  std::uint32_t num_ranks, const Halve& halve);

}  // namespace commmap
