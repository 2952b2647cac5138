// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// The longest text of a cluster YAML. yaml-cpp takes up to 240 bytes of memory for a byte of text:
/// 16 MiB of "a,a,a,..." took 3.9 GB.
inline constexpr std::uint64_t max_cluster_yaml_bytes = std::uint64_t{4} << 20U;

/// Reads a cluster YAML (docs/admin/cluster-yaml.md). Relative paths of hwloc XML files start at
/// its folder.
/// Errors: not_found, invalid_input; "FILE:LINE:COLUMN: what is wrong, and what to do".
/// Cost: O(file + nodes).
[[nodiscard]] Result<Cluster> read_cluster_yaml(const std::string& path);

/// Reads a cluster YAML from text. `name` stands for the file in messages, and its folder is where
/// relative paths start.
[[nodiscard]] Result<Cluster> parse_cluster_yaml(std::string_view text, const std::string& name);

}  // namespace commmap
