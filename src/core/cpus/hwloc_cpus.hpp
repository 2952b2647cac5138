#pragma once

#include <hwloc.h>

#include "commmap/result.hpp"
#include "core/cpus/node_cpus.hpp"

namespace commmap {

/// All CPUs of a loaded topology. Cost: O(objects).
[[nodiscard]] NodeCpus cpus_of_topology(hwloc_topology_t topology);

/// All CPUs of the machine that this runs on, also those that this process may not use. library:
/// hwloc cannot read it.
[[nodiscard]] Result<NodeCpus> cpus_of_this_node();

}  // namespace commmap
