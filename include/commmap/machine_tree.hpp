// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "commmap/export.hpp"
#include "commmap/ids.hpp"
#include "commmap/result.hpp"

namespace commmap {

/// A group of PUs in a MachineTree, numbered within its level.
using GroupId = std::uint32_t;

/// Describes a machine as a tree of groups of PUs, and the distance between any two PUs.
///
/// All branches have the same number of levels. Level 0 is the whole machine. The last level is the
/// bins. The PUs of one bin are equally far from each other, so that it does not matter which PU of
/// its bin a rank takes. Groups of a level are numbered from left to right. PUs are numbered from
/// left to right through the whole machine, unavailable PUs included.
///
/// Make a tree with make() where all groups of a level are alike, else with of_shape().
///
/// Immutable and thread-safe.
/// Memory: 12 bytes a group, 8 more a bin, 4 an available PU.
class MachineTree {
public:
    struct Level {
        /// of each group, its group in the level above; empty at the root
        std::vector<GroupId> parent;
        /// of each group, its first child in the level below; length groups + 1; empty at bins
        std::vector<GroupId> first_child;
        std::vector<std::uint32_t> capacity;  ///< of each group, available PUs in it
        std::uint64_t distance = 0;  ///< of two PUs whose lowest common group is at this level
    };

    /// Makes a tree in which all groups of a level have the same number of children.
    ///
    /// @param arities    from the leaf level upwards: PUs in a bin, bins in the next group, ...;
    ///                   each > 0. {8, 2, 4}: 8 PUs in a bin, 2 bins in a group, 4 groups
    /// @param distances  from the leaf level upwards, one for each level, not decreasing: of two
    ///                   PUs whose lowest common group is at that level
    /// @param available  PUs that ranks may take, ascending, distinct; empty: all
    /// Errors: invalid_input; out_of_range above max_pus, max_groups or max_levels.
    [[nodiscard]] COMMMAP_EXPORT static Result<MachineTree> make(
        std::span<const std::uint32_t> arities, std::span<const std::uint64_t> distances,
        std::span<const PuId> available = {});

    /// Input of of_shape(): a tree whose groups may have any number of children and PUs.
    struct Shape {
        /// For each level below the root, from the root downwards: the parent of each group, as its
        /// number in the level above. Not decreasing within a level; each group above has a child.
        std::vector<std::vector<GroupId>> parents;
        /// For each level, from the root downwards (one more than `parents` has), not increasing:
        /// the distance of two PUs whose lowest common group is at that level.
        std::vector<std::uint64_t> distances;
        std::vector<std::vector<PuId>> pus;  ///< of each bin, its available PUs, ascending
    };
    /// Makes a tree of any shape.
    /// @pre `shape` is as Shape's members say: nothing but assertions checks it
    /// Errors: out_of_range above max_levels, or when a Path would need more than 64 bits. A Path
    /// needs, for each level, the bits that number the children of that level's largest group.
    [[nodiscard]] COMMMAP_EXPORT static Result<MachineTree> of_shape(const Shape& shape);

    static constexpr std::uint32_t max_pus = 1U << 28U;
    static constexpr std::uint64_t max_groups = 1U << 26U;
    static constexpr std::size_t max_levels = 16;

    [[nodiscard]] std::size_t num_levels() const { return levels_.size(); }
    [[nodiscard]] const Level& level(std::size_t depth) const { return levels_[depth]; }
    [[nodiscard]] const Level& bins() const { return levels_.back(); }
    [[nodiscard]] std::size_t num_groups(std::size_t depth) const {
        return levels_[depth].capacity.size();
    }
    /// Returns the number of groups of all levels together.
    [[nodiscard]] std::size_t num_groups() const {
        return std::accumulate(
            levels_.begin(), levels_.end(), std::size_t{0},
            [](std::size_t sum, const Level& level) { return sum + level.capacity.size(); });
    }
    [[nodiscard]] std::size_t num_bins() const { return num_groups(num_levels() - 1); }
    /// Returns the number of PUs that ranks may take.
    [[nodiscard]] std::uint32_t num_pus() const { return levels_[0].capacity[0]; }
    /// Returns the PUs of a bin that ranks may take, ascending.
    [[nodiscard]] std::span<const PuId> pus_of(GroupId bin) const {
        return {pus_.data() + first_pu_[bin], bins().capacity[bin]};
    }

    /// Encodes the way from the root to a bin. The first bit in which two paths differ tells the
    /// lowest group that the two bins have in common.
    using Path = std::uint64_t;
    [[nodiscard]] Path path(GroupId bin) const { return paths_[bin]; }
    /// Returns the distance of two different PUs, given the paths of their bins.
    [[nodiscard]] double distance(Path a, Path b) const {
        return distance_of_bits_[static_cast<std::size_t>(std::countl_zero(a ^ b))];
    }
    /// Returns the level of the lowest group that two bins have in common; level 0 is the whole
    /// machine.
    [[nodiscard]] unsigned common_depth(Path a, Path b) const {
        return depth_of_bits_[static_cast<std::size_t>(std::countl_zero(a ^ b))];
    }

private:
    /// @param capacity  of each bin, its number of available PUs
    /// @param pus       available PUs of all bins, one bin after the other
    MachineTree(const Shape& shape, std::vector<std::uint32_t> capacity, std::vector<PuId> pus);
    /// Fills paths_ and both tables by bits.
    /// @return  the bits that a path needs; above 64 nothing is filled
    [[nodiscard]] unsigned find_paths();

    std::vector<Level> levels_;
    std::vector<Path> paths_;
    std::vector<std::uint32_t> first_pu_;  ///< of each bin, index into pus_
    std::vector<PuId> pus_;
    /// by the number of leading bits that two paths share
    std::array<double, 65> distance_of_bits_{};
    std::array<std::uint8_t, 65> depth_of_bits_{};
};

/// Reads the sizes of groups, from the leaf level upwards, as make() takes them: "8:2:8:8".
/// Errors: invalid_input.
[[nodiscard]] COMMMAP_EXPORT Result<std::vector<std::uint32_t>> parse_arities(
    std::string_view text);
/// Reads distances, from the leaf level upwards, as make() takes them: "1:10:100:1000".
/// Errors: invalid_input.
[[nodiscard]] COMMMAP_EXPORT Result<std::vector<std::uint64_t>> parse_distances(
    std::string_view text);
/// Reads a list of PUs in any order, "0-63,70,80-99", and returns the PUs ascending.
/// Errors: invalid_input; out_of_range for a PU that is not below num_pus.
[[nodiscard]] COMMMAP_EXPORT Result<std::vector<PuId>> parse_pus(std::string_view text,
                                                                 std::uint32_t num_pus);

}  // namespace commmap
