// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "commmap/ids.hpp"
#include "commmap/machine_tree.hpp"
#include "core/base/threads.hpp"

namespace commmap {

/// Returns how many ranks each group gets, by level and group. Takes as few groups of each level as
/// hold the ranks, those with the most PUs first.
/// All these groups are full but the last. Slurm, which fills nodes in order, uses no fewer.
/// @pre num_ranks <= machine.num_pus()
/// Cost: O(groups log arity).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> fill_groups(const MachineTree& machine,
                                                                  std::uint32_t num_ranks);

/// One division of ranks among groups of a level.
struct Division {
    std::size_t depth = 0;     ///< depth of the groups
    std::uint64_t number = 0;  ///< unique among the divisions of a machine
    struct Half {
        bool halved = false;   ///< divided again, among groups of this level, as it is now
        bool goes_on = false;  ///< one group, which is divided further down after improvements
    };
    std::array<Half, 2> halves{};
};

/// The functions that divide ranks among groups. Several threads call them at once.
struct Splitting {
    /// Chooses `target` of the ranks and puts them before the others.
    std::function<void(std::span<RankId> ranks, std::size_t target, const Division& division)>
        halve;
    /// Exchanges ranks between the children of one group. They stand in `ranks` one after the other
    /// from first[0] on, with ranks.size() at the end.
    /// Empty: the ranks stay as they are.
    std::function<void(std::span<RankId> ranks, std::span<const std::uint32_t> first,
                       const Division& division)>
        improve = {};
};

/// Returns the bin of each rank.
/// All ranks, in some order, are halved among the children of the root: between the first so many
/// children and the rest. Each half is halved again, until each child has its own ranks.
/// These ranks are improved, and divided among the child's own children, as fill_groups() says.
/// @param ranks  each of 0 .. ranks.size()-1 once; halves that are not chosen follow this order
/// Cost: one halving of each part.
[[nodiscard]] std::vector<GroupId> fill_by_halves(const MachineTree& machine,
                                                  std::vector<RankId> ranks,
                                                  const Splitting& splitting, Threads& threads);

}  // namespace commmap
