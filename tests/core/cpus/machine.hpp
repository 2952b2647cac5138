// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/handle.hpp"
#include "core/cpus/cpu_masks.hpp"

namespace commmap {

/// Topologies of real machines, and a few made by hand, that scripts/lib/hwloc-machines fetches.
inline constexpr const char* machine_names[] = {
    "16em64t-4s2c2t",                         // four packages, threads
    "16em64t-4s2c2t-offlines",                // some CPUs offline: a package without threads
    "offline-cpu0-node0",                     // the first NUMA node offline
    "8em64t-2s4c-heterogeneous",              // L2 of four cores here, of two cores there
    "32em64t-2n8c2t-pci-wholeio",             // two packages, threads
    "28intel64-2p2g7c-CoDgroups.v1tov2",      // cluster on die: NUMA nodes of seven cores
    "192em64t-24n8c2t",                       // 24 NUMA nodes
    "192em64t-12gr2n8c2t",                    // the same with pairs of near NUMA nodes
    "96em64t-4n4d3ca2co",                     // NUMA nodes of four packages of three L2
    "64intel64-3g2n+2n-irregulargroups+pci",  // NUMA nodes in groups of unequal size
    "64amd64-4s2n4ca2co",                     // eight NUMA nodes, L2 of two cores
    "48amd64-4d2n6c-sparse",                  // eight NUMA nodes of six cores
    "32amd64-4s2n4c-cgroup2",                 // a control group leaves a part
    "16amd64-8n2c-cpusets",                   // a cpuset leaves a part
    "128arm-2pa2n8cluster4co",                // clusters of four cores
    "256ppc-8n8s4t",                          // POWER, four threads a core
    "20s390-2g6s4c",                          // books and drawers, packages of unequal size
    "power8gpudistances",                     // POWER8, NUMA nodes of GPUs
    "64intel64-fakeKNL-SNC4-hybrid",          // four threads a core, memory of two kinds
    "8intel64-4n2t-memattrs",                 // NUMA nodes of memory of two kinds
    "fakeheteromemtiers",                     // NUMA nodes without CPUs
    "5intel64-hybrid-lakefield",              // one fast core, four slow ones
    "fakecpukinds",                           // three kinds of CPUs
};

inline std::filesystem::path machines_directory() {
    const char* const set = std::getenv("COMMMAP_MACHINES");
    return set != nullptr ? set : "/var/cache/commmap-testbed/machines";
}

/// Of its CPUs, in hwloc's order.
class Machine {
public:
    explicit Machine(const std::string& name) : file_(machines_directory() / (name + ".xml")) {
        hwloc_topology_t raw = nullptr;
        hwloc_topology_init(&raw);
        topology_.reset(raw);
        hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
        loaded_ = hwloc_topology_set_xml(raw, file_.c_str()) == 0 && hwloc_topology_load(raw) == 0;
    }

    [[nodiscard]] bool loaded() const { return loaded_; }
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] hwloc_topology_t topology() const { return topology_.get(); }

    [[nodiscard]] std::vector<hwloc_obj_t> objects(hwloc_obj_type_t type) const {
        std::vector<hwloc_obj_t> objects;
        for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology(), type, nullptr);
             object != nullptr; object = hwloc_get_next_obj_by_type(topology(), type, object))
            objects.push_back(object);
        return objects;
    }
    /// The CPUs below an object, in hwloc's order; of the root: all.
    [[nodiscard]] std::vector<unsigned> cpus_of(hwloc_obj_t object) const {
        std::vector<unsigned> cpus;
        for (const hwloc_obj_t pu : objects(HWLOC_OBJ_PU)) {
            if (hwloc_bitmap_isset(object->cpuset, pu->os_index) != 0) cpus.push_back(pu->os_index);
        }
        return cpus;
    }
    [[nodiscard]] std::vector<unsigned> cpus() const {
        return cpus_of(hwloc_get_root_obj(topology()));
    }

private:
    std::filesystem::path file_;
    std::unique_ptr<hwloc_topology, FreeWith<hwloc_topology_destroy>> topology_;
    bool loaded_ = false;
};

inline CpuSet sorted(std::vector<unsigned> cpus) {
    std::sort(cpus.begin(), cpus.end());
    return cpus;
}

/// A name as GoogleTest wants it.
inline std::string test_name(std::string_view machine) {
    std::string name(machine);
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

}  // namespace commmap

/// Without the machines nothing can be said, but where COMMMAP_MACHINES names them they must be.
#define NEEDS_MACHINES()                                                         \
    if (std::getenv("COMMMAP_MACHINES") == nullptr &&                            \
        !std::filesystem::exists(commmap::machines_directory() / "made-by")) {   \
        GTEST_SKIP() << "the machines are not here: scripts/lib/hwloc-machines"; \
    }
