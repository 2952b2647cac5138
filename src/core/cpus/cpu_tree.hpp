// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

namespace commmap {

/// The CPUs of one node that a job may use, with the packages, NUMA nodes, caches and cores that
/// they share. CPUs are numbered from 0 in hwloc's logical order, so that the CPUs of any group are
/// consecutive.
struct CpuTree {
    struct Group {
        std::uint32_t first_cpu = 0;
        std::uint32_t num_cpus = 0;
        std::uint32_t first_child = 0;  ///< index into groups
        std::uint32_t num_children = 0;
    };
    /// All groups, breadth first; the first is the whole node. The children of a group cover all
    /// its CPUs. The CPUs of a group without children are alike.
    std::vector<Group> groups;
};

}  // namespace commmap
