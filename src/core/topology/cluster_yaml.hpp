#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Reads a cluster YAML (docs/admin/cluster-yaml.md). hwloc XML files are looked up beside it.
/// Errors: "FILE:LINE:COLUMN: what, and what to do"; not_found, invalid_input. Cost: O(file +
/// nodes).
[[nodiscard]] Result<Cluster> read_cluster_yaml(const std::string& path);

/// The same from text; `name` stands for the file in messages and its folder for relative paths.
[[nodiscard]] Result<Cluster> parse_cluster_yaml(std::string_view text, const std::string& name);

}  // namespace commmap
