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

/// How many ranks each group gets, by level and group: as few groups of each as hold them, the ones
/// with the most PUs first, all full but the last. Slurm, which fills nodes in order, uses no
/// fewer.
/// @pre num_ranks <= machine.num_pus()
/// Cost: O(groups log arity).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> fill_groups(const MachineTree& machine,
                                                                  std::uint32_t num_ranks);

/// One division of ranks among groups of a level.
struct Division {
    std::size_t depth = 0;     ///< of the groups
    std::uint64_t number = 0;  ///< no two divisions of a machine have the same
    struct Half {
        bool halved = false;   ///< again, among groups of this level: with the ranks it has now
        bool goes_on = false;  ///< is one group, and divided further down, after improvements
    };
    std::array<Half, 2> halves{};
};

/// How ranks are divided among groups; called from several threads at once.
struct Splitting {
    /// Chooses `target` of some ranks and puts them before the others.
    std::function<void(std::span<RankId> ranks, std::size_t target, const Division& division)>
        halve;
    /// Exchanges ranks between the children of one group, which are in `ranks` one after the other
    /// from first[0] on, ranks.size() at the end. None: they stay as they are.
    std::function<void(std::span<RankId> ranks, std::span<const std::uint32_t> first,
                       const Division& division)>
        improve = {};
};

/// The bin of each rank: all ranks, in some order, are halved among the children of the root, the
/// first so many children and the rest, each half again until each child has its own ranks; these
/// are improved, and divided among its children, as fill_groups() says. Cost: one halving of each
/// part.
/// @param ranks  each of 0 .. ranks.size()-1 once; halves that are not chosen follow this order
[[nodiscard]] std::vector<GroupId> fill_by_halves(const MachineTree& machine,
                                                  std::vector<RankId> ranks,
                                                  const Splitting& splitting, Threads& threads);

}  // namespace commmap
