// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cpus/cpu_tree.hpp"

namespace commmap {

/// Finds, for each CPU of a tree, the groups that hold it, the largest group first. A group is
/// named by its first CPU. Groups with one child and single CPUs do not count, because they bring
/// no CPUs nearer together.
class EnclosingGroups {
public:
    explicit EnclosingGroups(const CpuTree& tree);

    /// Returns the first CPUs of the groups that hold `cpu`, the largest group first.
    [[nodiscard]] std::span<const std::uint32_t> begins(std::uint32_t cpu) const {
        return {begins_.data() + offsets_[cpu], offsets_[cpu + 1] - offsets_[cpu]};
    }

private:
    std::vector<std::uint32_t> begins_;
    std::vector<std::size_t> offsets_;
};

/// Chooses `count` runs of `size` consecutive elements of `cpus`, without overlap. These rules
/// decide, in this order:
/// - The runs touch as few groups as possible, counted on all levels and over all runs.
/// - Different runs share as few groups as possible.
/// - Of equally good choices the first is taken.
///
/// To bound the work, only the first spare CPUs are considered when there are more than 2^20 pairs
/// of a run and a beginning.
///
/// @param cpus  ascending
/// @return      index into `cpus` of the first element of each run, ascending
/// @pre count * size <= cpus.size(), size > 0
/// Cost: O(count * (cpus.size() - count * size + 1) * depth of the tree).
[[nodiscard]] std::vector<std::uint32_t> choose_runs(const EnclosingGroups& groups,
                                                     std::span<const std::uint32_t> cpus,
                                                     std::uint32_t count, std::uint32_t size);

}  // namespace commmap
