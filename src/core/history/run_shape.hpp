#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace commmap {

/// Digest of the shape of an allocation: how many tasks are on each node, whatever the nodes are
/// called and in whatever order they stand, and how many CPUs a task has. Which switches the nodes
/// hang on is not part of it.
/// @param tasks_per_node  nodes without a task do not count
/// Cost: O(nodes * log(nodes)). Same input, same result, on every machine.
[[nodiscard]] std::uint64_t run_shape(std::span<const std::uint32_t> tasks_per_node,
                                      std::uint32_t cpus_per_task);

/// Digest of a command's arguments: what stands behind its first word, 63 words at most. Never 0.
[[nodiscard]] std::uint64_t arguments_digest(std::span<const std::string> words);

/// Digest of a text. Never 0, which stands for none.
[[nodiscard]] std::uint64_t short_digest(const std::string& text);

}  // namespace commmap
