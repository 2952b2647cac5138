#pragma once

#include <string>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"

namespace commmap {

/// The inside of a node from hwloc (2.1 or later), restricted to what the process or the file
/// allows.
///
/// Kept: packages, cores, PUs, caches from L2 on that are shared by several cores, and NUMA nodes;
/// these hang in hwloc as memory beside the object whose CPUs they serve, and become a level just
/// above that object (just below it for a package). A die, and any other group of CPUs that hwloc
/// has (clusters, books, NUMA nodes at a small distance), is a further level of packages or NUMA
/// nodes where it has some inside, else one of caches. Memory-side caches and I/O devices are left
/// out. A level whose every element is the only child of its parent is folded into
/// it (NodeTree::Vertex::levels remembers it). hwloc prints nothing. Errors: invalid_input,
/// not_found, io, library; out_of_range above 16384 PUs.
[[nodiscard]] Result<NodeTree> read_hwloc_live();
/// @param path  what `lstopo --of xml` writes, at most 64 MiB
[[nodiscard]] Result<NodeTree> read_hwloc_xml(const std::string& path);
/// hwloc's synthetic notation without the leading machine: "package:2 core:8 pu:2".
[[nodiscard]] Result<NodeTree> read_hwloc_synthetic(const std::string& description);

}  // namespace commmap
