// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <hwloc.h>

#include "commmap/result.hpp"
#include "core/cpus/node_cpus.hpp"

namespace commmap {

/// Reads all CPUs of a loaded hwloc topology.
/// Cost: O(objects).
[[nodiscard]] NodeCpus cpus_of_topology(hwloc_topology_t topology);

/// Reads all CPUs of the node on which this process runs, CPUs that the process may not use
/// included.
/// Errors: library when hwloc cannot read the node.
[[nodiscard]] Result<NodeCpus> cpus_of_this_node();

}  // namespace commmap
