// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// Reads the inside of a node with hwloc (2.1 or later), restricted to the CPUs that the process or
/// the file allows.
///
/// - Kept: packages, cores, PUs, NUMA nodes, and caches from L2 on that several cores share.
/// - A NUMA node hangs in hwloc beside the object whose CPUs it serves. Here it becomes a level
///   just above that object (just below a package).
/// - A die, and any other group of CPUs that hwloc has, becomes a further level (clusters, books,
///   close NUMA nodes). The level is one of packages or NUMA nodes where the group contains some,
///   else one of caches.
/// - Left out: memory-side caches and I/O devices.
/// - A level in which every element is the only child of its parent is folded into the parent.
///   NodeTree::Vertex::levels remembers the level.
/// hwloc prints nothing.
/// Errors: invalid_input, not_found, io, library; out_of_range above 16384 PUs.
[[nodiscard]] Result<NodeTree> read_hwloc_live();
/// Reads a file that `lstopo --of xml` wrote, of at most 64 MiB. Otherwise as read_hwloc_live().
[[nodiscard]] Result<NodeTree> read_hwloc_xml(const std::string& path);
/// Reads hwloc's synthetic notation without the leading machine: "package:2 core:8 pu:2". Otherwise
/// as read_hwloc_live().
[[nodiscard]] Result<NodeTree> read_hwloc_synthetic(const std::string& description);

}  // namespace commmap
