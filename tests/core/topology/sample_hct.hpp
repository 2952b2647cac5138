// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/topology/hct.hpp"

/// Small trees for tests, built through the constructor of Hct alone: no YAML, no hwloc, every
/// number in sight.
namespace commmap {

/// A tree written down as nested elements. Nodes are numbered in the order in which they stand.
struct SampleElement {
    Level level = Level::pu;
    Port port;  ///< towards the parent
    std::vector<SampleElement> children;
    std::string name = {};
    double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
};

/// Returns a port with equal directions. All tasks together get at most `bandwidth`.
inline Port sample_port(double bandwidth_bytes_per_s, double latency_ns = 0.0) {
    const Channel channel{BandwidthCurve(bandwidth_bytes_per_s), latency_ns, bandwidth_bytes_per_s};
    return Port{channel, channel};
}

/// Returns a node whose PUs are its children, all with the same port.
inline SampleElement sample_node(const std::string& name, std::uint32_t num_pus, const Port& link,
                                 const Port& pu_port) {
    return {Level::node, link, std::vector<SampleElement>(num_pus, {Level::pu, pu_port, {}}), name};
}

/// Makes an Hct of a tree, whose elements are numbered breadth first.
/// @param node_order  names of the nodes as the job lists them; empty: in the tree's order
inline Hct sample_hct(const SampleElement& root, const std::vector<std::string>& node_order = {}) {
    std::vector<const SampleElement*> source{&root};
    std::vector<Element> elements;
    std::vector<Port> ports;
    std::vector<NodeInfo> nodes;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const SampleElement& from = *source[i];
        // `elements` grows by whole groups of siblings, so only the root's element is missing here.
        if (i == 0) elements.emplace_back();
        elements[i].level = from.level;
        elements[i].name = from.name;
        elements[i].max_bandwidth_bytes_per_s = from.max_bandwidth_bytes_per_s;
        elements[i].port_index = static_cast<std::uint32_t>(ports.size());
        ports.push_back(from.port);
        if (from.level == Level::node) {
            elements[i].node = static_cast<NodeId>(nodes.size());
            nodes.push_back({from.name, static_cast<ElementId>(i), 0, 0});
        }
        if (from.children.empty()) continue;
        elements[i].first_child = static_cast<ElementId>(elements.size());
        elements[i].num_children = static_cast<std::uint32_t>(from.children.size());
        for (const SampleElement& child : from.children) {
            source.push_back(&child);
            Element element;
            element.parent = static_cast<ElementId>(i);
            element.depth = elements[i].depth + 1;
            element.node = elements[i].node;
            elements.push_back(element);
        }
    }
    for (std::size_t i = elements.size(); i-- > 0;) {
        if (elements[i].num_children == 0) elements[i].num_pus = 1;
        if (i > 0) elements[elements[i].parent].num_pus += elements[i].num_pus;
    }
    for (Element& element : elements) {
        PuId next_pu = element.first_pu;
        for (std::uint32_t c = 0; c < element.num_children; ++c) {
            elements[element.first_child + c].first_pu = next_pu;
            next_pu += elements[element.first_child + c].num_pus;
        }
    }
    if (!node_order.empty()) {
        const auto position = [&](const NodeInfo& node) {
            return std::find(node_order.begin(), node_order.end(), node.name);
        };
        std::stable_sort(nodes.begin(), nodes.end(), [&](const NodeInfo& a, const NodeInfo& b) {
            return position(a) < position(b);
        });
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        nodes[n].first_pu = elements[nodes[n].element].first_pu;
        nodes[n].num_pus = elements[nodes[n].element].num_pus;
        elements[nodes[n].element].node = static_cast<NodeId>(n);
    }
    std::vector<PuInfo> pus(elements[0].num_pus);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& parent = elements[i == 0 ? 0 : elements[i].parent];
        if (elements[i].level > Level::node) elements[i].node = parent.node;
        if (elements[i].level != Level::pu) continue;
        const PuId pu = elements[i].first_pu;
        pus[pu] = {static_cast<ElementId>(i), elements[i].node};
    }
    return Hct(std::move(elements), std::move(ports), std::move(pus), std::move(nodes));
}

/// Switch s0 with nodes n0 and n1 of two PUs each: PUs 0 1 | 2 3. Links 100 MB/s, PUs 1 GB/s, no
/// latency. Elements: 0 s0, 1 n0, 2 n1, 3-4 PUs of n0, 5-6 PUs of n1.
/// @param half_duplex  whether the nodes' links are half duplex
inline Hct two_nodes_of_two(bool half_duplex = false) {
    Port link = sample_port(100e6);
    link.half_duplex = half_duplex;
    const Port pu = sample_port(1e9);
    return sample_hct({Level::switch_,
                       {},
                       {sample_node("n0", 2, link, pu), sample_node("n1", 2, link, pu)},
                       "s0"});
}

/// The machine of Sweeney et al., Sec. 6 and Fig. 6: switch "core" over s0 (m0-m4) and s1 (m5-m7),
/// two PUs a node. Links and uplinks 100 Mbit/s = 12.5 MB/s, 60 us; PUs 2 GB/s, 500 ns; the node's
/// memory bus 4 GB/s. Elements: 0 core, 1 s0, 2 s1, 3-7 m0-m4, 8-10 m5-m7, 11-26 PUs; PUs 2k and
/// 2k+1 are on m<k>.
inline Hct sweeney_8x2() {
    const Port ethernet = sample_port(12.5e6, 60e3);
    const Port pu = sample_port(2e9, 500.0);
    const auto subnet = [&](const std::string& name, int first, int last) {
        SampleElement element{Level::switch_, ethernet, {}, name};
        for (int m = first; m <= last; ++m) {
            SampleElement node = sample_node("m" + std::to_string(m), 2, ethernet, pu);
            node.max_bandwidth_bytes_per_s = 4e9;
            element.children.push_back(node);
        }
        return element;
    };
    return sample_hct({Level::switch_, {}, {subnet("s0", 0, 4), subnet("s1", 5, 7)}, "core"});
}

/// Returns a tree whose elements of one depth all have the same number of children.
/// @param arities     from the root: {4, 2, 2} is a root with 4 children, which have 2 children
///                    with 2 PUs each
/// @param bandwidths  of the ports at depth 1, 2, ..., in bytes per second; empty: unlimited
/// @param node_depth  depth of the nodes "n0", "n1", ...; above are switches. Between nodes and PUs
///                    are packages, then also cores, then also NUMA nodes, then also caches.
inline Hct uniform_tree(const std::vector<std::uint32_t>& arities,
                        const std::vector<double>& bandwidths = {}, std::size_t node_depth = 1) {
    assert(!arities.empty() && (bandwidths.empty() || bandwidths.size() == arities.size()));
    const std::size_t depth_of_leaves = arities.size();
    node_depth = std::min(node_depth, depth_of_leaves - 1);
    const std::size_t num_between = depth_of_leaves - node_depth - 1;
    assert(num_between <= 4 && "only package, numa, cache and core are between node and PU");
    std::vector<Level> between;
    if (num_between >= 1) between.push_back(Level::package);
    if (num_between >= 3) between.push_back(Level::numa);
    if (num_between >= 4) between.push_back(Level::cache);
    if (num_between >= 2) between.push_back(Level::core);
    SampleElement current;
    for (std::size_t depth = depth_of_leaves + 1; depth-- > 0;) {
        SampleElement element;
        element.level = depth == depth_of_leaves ? Level::pu
                        : depth == node_depth    ? Level::node
                        : depth < node_depth     ? Level::switch_
                                                 : between[depth - node_depth - 1];
        if (depth > 0 && !bandwidths.empty()) element.port = sample_port(bandwidths[depth - 1]);
        if (depth < depth_of_leaves) element.children.assign(arities[depth], current);
        current = std::move(element);
    }
    std::size_t next_node = 0;
    std::size_t next_switch = 0;
    const auto give_names = [&](auto&& self, SampleElement& element) -> void {
        if (element.level == Level::node) element.name = "n" + std::to_string(next_node++);
        if (element.level == Level::switch_) element.name = "s" + std::to_string(next_switch++);
        for (SampleElement& child : element.children) self(self, child);
    };
    give_names(give_names, current);
    return sample_hct(current);
}

}  // namespace commmap
