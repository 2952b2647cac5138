// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace commmap {

/// Returns a digest of an allocation's shape: the number of tasks on each node, in any order of the
/// nodes, and the CPUs of a task. Names of nodes and switches are not part of it.
/// @param tasks_per_node  nodes without a task do not count
/// Cost: O(nodes * log(nodes)).
/// Same input, same result, on every machine.
[[nodiscard]] std::uint64_t run_shape(std::span<const std::uint32_t> tasks_per_node,
                                      std::uint32_t cpus_per_task);

/// Returns a digest of a command's arguments: the words after the first, at most 63. Never 0.
[[nodiscard]] std::uint64_t arguments_digest(std::span<const std::string> words);

/// Returns a digest of a text. Never 0, which stands for none.
[[nodiscard]] std::uint64_t short_digest(const std::string& text);

}  // namespace commmap
