// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/core.h>

#include <initializer_list>
#include <string>

#include "core/topology/cluster_yaml.hpp"

namespace commmap {

/// Sweeney et al., section 6: five and three nodes behind two switches, all links of one name.
inline Cluster sweeney_cluster() {
    return parse_cluster_yaml(
               "version: 1\n"
               "links: {fast-ethernet: {bandwidth: 12.5 MB/s, latency: 60 us}}\n"
               "node_classes: {dual: {hwloc: {synthetic: 'core:2 pu:1'}, link: fast-ethernet}}\n"
               "switches:\n"
               "  core: {switches: [s0, s1]}\n"
               "  s0: {nodes: 'm[0-4]', class: dual, link: fast-ethernet}\n"
               "  s1: {nodes: 'm[5-7]', class: dual, link: fast-ethernet}\n",
               "sweeney.yaml")
        .value();
}

/// An allocation of these nodes.
inline Allocation nodes(std::initializer_list<const char*> names) {
    Allocation allocation;
    for (const char* name : names) allocation.nodes.push_back({name, 0});
    return allocation;
}

/// Two pods of `racks` racks of `nodes` nodes; nodes are named r0n0, r0n1, ... across the pods.
inline Cluster two_pods(int racks, int nodes) {
    std::string text =
        "version: 1\n"
        "links: {port: {bandwidth: 10 GB/s, latency: 2 us}, rack: {bandwidth: 20 GB/s}}\n"
        "node_classes: {k: {hwloc: {synthetic: 'core:1 pu:1'}, link: port}}\n"
        "switches:\n"
        "  top: {switches: [pod0, pod1]}\n";
    for (int pod = 0; pod < 2; ++pod) {
        std::string children;
        std::string below;
        for (int r = pod * racks; r < (pod + 1) * racks; ++r) {
            children += fmt::format("{}rack{}", children.empty() ? "" : ", ", r);
            below += fmt::format("  rack{}: {{nodes: 'r{}n[0-{}]', class: k, link: rack}}\n", r, r,
                                 nodes - 1);
        }
        text += fmt::format("  pod{}: {{switches: [{}], link: {{bandwidth: 40 GB/s}}}}\n", pod,
                            children) +
                below;
    }
    return parse_cluster_yaml(text, "pods.yaml").value();
}

}  // namespace commmap
