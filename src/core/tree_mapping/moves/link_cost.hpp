// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/tree_mapping/moves/bin_placement.hpp"
#include "core/tree_mapping/moves/chain_search.hpp"
#include "core/tree_mapping/moves/link_loads.hpp"
#include "core/tree_mapping/moves/potential.hpp"

namespace commmap {

/// The sum of a potential over all links of a MachineTree (see TreeLink), for a ChainSearch. With a
/// high power it is the port cost.
/// Loads are kept for each link. A move changes only the links between the two bins and their
/// lowest common group.
/// Memory: 8 bytes a group. Cost: O(neighbours + levels) a question.
class LinkCost {
public:
    /// Makes a sum of powers.
    /// @param squarings  of the power, at least 1
    /// @param unit       about the largest cost of a link, > 0
    static LinkCost powers(const BinPlacement& placement, double unit, unsigned squarings);
    /// Makes hop-bytes, where no link may cost more than `cap`.
    static LinkCost capped(const BinPlacement& placement, double cap);

    [[nodiscard]] MoveGain gain_at(std::uint32_t rank, GroupId bin) const;
    void before_move(std::uint32_t rank, GroupId bin);
    /// Returns the cost of the most loaded link. Links of PUs do not change, and are left out.
    [[nodiscard]] double largest() const;

private:
    struct Change {
        std::size_t depth;
        GroupId group;
        double bytes;
    };
    struct Changes {
        std::array<Change, 2 * MachineTree::max_levels> of;
        std::size_t count = 0;
    };

    explicit LinkCost(const BinPlacement& placement)
        : placement_(placement),
          loads_(link_loads(placement.graph(), placement.machine(), placement.bins())) {}
    [[nodiscard]] Changes changes_of(std::uint32_t rank, GroupId bin) const;

    const BinPlacement& placement_;
    LinkLoads loads_;
    std::vector<Potential> potentials_;  ///< by depth; the root has no link
};

/// Returns the cost of a byte on the link above a group of this depth: see PlacementFigures.
/// @pre depth > 0
[[nodiscard]] double cost_of_byte(const MachineTree& machine, std::size_t depth);

}  // namespace commmap
