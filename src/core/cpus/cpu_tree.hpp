#pragma once

#include <cstdint>
#include <vector>

namespace commmap {

/// The CPUs of one machine that a job may use, and what they share: packages, NUMA nodes, caches,
/// cores. CPUs are numbered from 0 in hwloc's logical order, so that those below any group are
/// consecutive.
struct CpuTree {
    struct Group {
        std::uint32_t first_cpu = 0;
        std::uint32_t num_cpus = 0;
        std::uint32_t first_child = 0;  ///< index into groups
        std::uint32_t num_children = 0;
    };
    /// Breadth first, the machine first; children of a group cover its CPUs. A group without
    /// children is of CPUs that are alike.
    std::vector<Group> groups;
};

}  // namespace commmap
