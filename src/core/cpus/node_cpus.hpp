// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/cpus/cpu_masks.hpp"
#include "core/cpus/cpu_tree.hpp"

namespace commmap {

/// The CPUs of one node: all of them, or those that a step's tasks may use.
struct NodeCpus {
    CpuTree tree;
    /// of each CPU of the tree, its number in the operating system
    std::vector<unsigned> os_index;
};

/// Reduces a node to the CPUs in `allowed`. Groups of which only one child is left are dropped.
/// @param allowed  numbers of the operating system, ascending
/// Errors: not_found when the node lacks one of the CPUs: a CPU is offline, or `allowed` is of
/// another node.
/// Cost: O(groups + CPUs log CPUs).
[[nodiscard]] Result<NodeCpus> part_of_node(const NodeCpus& node, const CpuSet& allowed);

/// Encodes a node's CPUs for another process on the same node, as a buffer of node_cpus.fbs;
/// node_of_bytes() reads the result.
[[nodiscard]] std::string bytes_of_node(const NodeCpus& node);
/// Reads what bytes_of_node() wrote.
/// Errors: invalid_input when the bytes are damaged, or no tree. In a tree groups are in order,
/// children share out the CPUs of their parent, and there are at most 64 levels.
[[nodiscard]] Result<NodeCpus> node_of_bytes(std::string_view bytes);

}  // namespace commmap
