// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/hwloc_cpus.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/base/handle.hpp"

namespace commmap {
namespace {

using HwlocTopology = std::unique_ptr<hwloc_topology, FreeWith<hwloc_topology_destroy>>;

bool has_cpus(hwloc_obj_t object) { return hwloc_bitmap_iszero(object->cpuset) == 0; }

/// Returns an object's first CPU in hwloc's logical order, in which an object's CPUs are
/// consecutive.
std::uint32_t first_cpu_of(hwloc_obj_t object) {
    while (object->type != HWLOC_OBJ_PU) {
        unsigned c = 0;
        while (!has_cpus(object->children[c])) ++c;
        object = object->children[c];
    }
    return object->logical_index;
}

}  // namespace

NodeCpus cpus_of_topology(hwloc_topology_t topology) {
    NodeCpus node;
    for (hwloc_obj_t pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, nullptr);
         pu != nullptr; pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))
        node.os_index.push_back(pu->os_index);
    std::vector<hwloc_obj_t> objects{hwloc_get_root_obj(topology)};  // breadth first
    for (std::size_t next = 0; next < objects.size(); ++next) {
        const hwloc_obj_t object = objects[next];
        const auto first_child = static_cast<std::uint32_t>(objects.size());
        for (unsigned c = 0; c < object->arity; ++c) {
            if (has_cpus(object->children[c])) objects.push_back(object->children[c]);
        }
        node.tree.groups.push_back(
            {first_cpu_of(object), static_cast<std::uint32_t>(hwloc_bitmap_weight(object->cpuset)),
             first_child, static_cast<std::uint32_t>(objects.size()) - first_child});
    }
    return node;
}

Result<NodeCpus> cpus_of_this_node() {
    ::setenv("HWLOC_HIDE_ERRORS", "2", 1);  // no pages about firmware in the job's output
    // Loads no plugins. Plugins look for devices, which nobody needs here, and load the libraries
    // of GPUs, OpenGL and libxml2. This was more than half of the time, and of what may go wrong.
    ::setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return Error{Errc::library, "hwloc cannot be initialised"};
    const HwlocTopology topology(raw);
    // Leaves out a component that runs on each CPU in turn, busy or not. Linux tells the same.
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    // Includes all CPUs. The caller knows better what the job may use: hwloc would look only at
    // what this process may use.
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(raw) != 0)
        return Error{Errc::library, "hwloc cannot read this node's topology"};
    return cpus_of_topology(raw);
}

}  // namespace commmap
