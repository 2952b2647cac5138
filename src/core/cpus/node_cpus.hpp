#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/cpus/cpu_masks.hpp"
#include "core/cpus/cpu_tree.hpp"

namespace commmap {

/// CPUs of one machine: all, or those that a step's tasks may use.
struct NodeCpus {
    CpuTree tree;
    std::vector<unsigned> os_index;  ///< of each CPU of the tree
};

/// The part that is of the CPUs in `allowed` (OS numbers, ascending), groups with a single part
/// left out. not_found when the machine has not all of them: one is offline, or the two speak of
/// different machines. Cost: O(groups + CPUs log CPUs).
[[nodiscard]] Result<NodeCpus> part_of_node(const NodeCpus& node, const CpuSet& allowed);

/// For another process of the same machine.
[[nodiscard]] std::string bytes_of_node(const NodeCpus& node);
/// invalid_input when they make no tree: its groups are in order, children share the CPUs of their
/// parent, and there are at most 64 levels.
[[nodiscard]] Result<NodeCpus> node_of_bytes(std::string_view bytes);

}  // namespace commmap
