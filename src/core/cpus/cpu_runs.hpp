#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cpus/cpu_tree.hpp"

namespace commmap {

/// For each CPU of a tree the first CPUs of the groups that it is in, the largest group first.
/// Groups with one child and single CPUs do not count: they bring nothing nearer together.
class EnclosingGroups {
public:
    explicit EnclosingGroups(const CpuTree& tree);

    [[nodiscard]] std::span<const std::uint32_t> begins(std::uint32_t cpu) const {
        return {begins_.data() + offsets_[cpu], offsets_[cpu + 1] - offsets_[cpu]};
    }

private:
    std::vector<std::uint32_t> begins_;
    std::vector<std::size_t> offsets_;
};

/// `count` runs of `size` consecutive elements of `cpus`, without overlap, chosen so that each run
/// has CPUs of as few groups as possible (counted on all levels, over all runs), and after that so
/// that runs have as few groups in common as possible; the first of equally good choices.
///
/// Where there are more than 2^20 pairs of a run and a beginning to look at, only the first CPUs to
/// spare are used for this.
///
/// @param cpus  ascending
/// @return      index of the first element of each run, ascending
/// @pre count * size <= cpus.size(), size > 0
/// Cost: O(count * (cpus.size() - count * size + 1) * depth of the tree).
[[nodiscard]] std::vector<std::uint32_t> choose_runs(const EnclosingGroups& groups,
                                                     std::span<const std::uint32_t> cpus,
                                                     std::uint32_t count, std::uint32_t size);

}  // namespace commmap
