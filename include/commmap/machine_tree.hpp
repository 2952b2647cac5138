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

/// A machine as a tree with the same number of levels everywhere: level 0 is the whole machine, the
/// last one the bins, whose PUs are all equally far from each other, so that it does not matter
/// which of them a rank takes. Groups of a level are numbered from left to right; PUs too, in the
/// whole machine, whether they may be used or not.
///
/// Immutable and thread-safe. Memory: 12 bytes a group, 8 more a bin, 4 a PU that may be used.
class MachineTree {
public:
    struct Level {
        std::vector<GroupId> parent;       ///< in the level above; empty at the root
        std::vector<GroupId> first_child;  ///< in the level below, length groups + 1; empty at bins
        std::vector<std::uint32_t> capacity;  ///< PUs below that may be used
        std::uint64_t distance = 0;  ///< of two PUs that have their lowest group in common here
    };

    /// @param arities    from the leaf level upwards: PUs of a bin, bins of the next group, ...;
    /// each > 0
    /// @param distances  of two PUs whose lowest common group is of that height; as many, not
    /// decreasing
    /// @param available  PUs that may be used, ascending, distinct; empty: all
    /// Errors: invalid_input; out_of_range above max_pus, max_groups, max_levels.
    [[nodiscard]] COMMMAP_EXPORT static Result<MachineTree> make(
        std::span<const std::uint32_t> arities, std::span<const std::uint64_t> distances,
        std::span<const PuId> available = {});

    /// A tree whose groups have any number of children and PUs.
    struct Shape {
        /// By level below the root, from the root downwards: of each group, the one above it. Not
        /// decreasing; each group above has a child.
        std::vector<std::vector<GroupId>> parents;
        /// Distance of two PUs whose lowest common group is of that level, from the root (one more
        /// than parents); not increasing.
        std::vector<std::uint64_t> distances;
        std::vector<std::vector<PuId>> pus;  ///< of each bin, ascending
    };
    /// Errors: out_of_range above max_levels, or where the levels' largest groups do not go into a
    /// Path of 64 bits. @pre the shape is as said
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
    /// Of all levels together.
    [[nodiscard]] std::size_t num_groups() const {
        return std::accumulate(
            levels_.begin(), levels_.end(), std::size_t{0},
            [](std::size_t sum, const Level& level) { return sum + level.capacity.size(); });
    }
    [[nodiscard]] std::size_t num_bins() const { return num_groups(num_levels() - 1); }
    /// That may be used.
    [[nodiscard]] std::uint32_t num_pus() const { return levels_[0].capacity[0]; }
    /// Those of a bin that may be used, ascending.
    [[nodiscard]] std::span<const PuId> pus_of(GroupId bin) const {
        return {pus_.data() + first_pu_[bin], bins().capacity[bin]};
    }

    /// The way from the root to a bin, such that the first bit in which two differ tells the lowest
    /// group that they have in common.
    using Path = std::uint64_t;
    [[nodiscard]] Path path(GroupId bin) const { return paths_[bin]; }
    [[nodiscard]] double distance(Path a, Path b) const {
        return distance_of_bits_[static_cast<std::size_t>(std::countl_zero(a ^ b))];
    }
    /// Depth of the lowest group that two bins have in common.
    [[nodiscard]] unsigned common_depth(Path a, Path b) const {
        return depth_of_bits_[static_cast<std::size_t>(std::countl_zero(a ^ b))];
    }

private:
    /// @param capacity  of each bin; @param pus  of all bins, one after the other
    MachineTree(const Shape& shape, std::vector<std::uint32_t> capacity, std::vector<PuId> pus);
    /// @return  the bits that a path takes; above 64 nothing is found
    [[nodiscard]] unsigned find_paths();

    std::vector<Level> levels_;
    std::vector<Path> paths_;
    std::vector<std::uint32_t> first_pu_;  ///< of a bin, index into pus_
    std::vector<PuId> pus_;
    std::array<double, 65> distance_of_bits_{};  ///< by leading bits that two paths share
    std::array<std::uint8_t, 65> depth_of_bits_{};
};

/// "8:2:8:8", from the leaf level upwards. Errors: invalid_input.
[[nodiscard]] COMMMAP_EXPORT Result<std::vector<std::uint32_t>> parse_arities(
    std::string_view text);
/// "1:10:100:1000". Errors: invalid_input.
[[nodiscard]] COMMMAP_EXPORT Result<std::vector<std::uint64_t>> parse_distances(
    std::string_view text);
/// "0-63,70,80-99", in any order: the PUs, ascending. Errors: invalid_input; out_of_range at or
/// above num_pus.
[[nodiscard]] COMMMAP_EXPORT Result<std::vector<PuId>> parse_pus(std::string_view text,
                                                                 std::uint32_t num_pus);

}  // namespace commmap
