// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/tree_cut.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace commmap {
namespace {

/// Returns the ports of a tree, and behind them a port that costs nothing.
std::vector<Port> with_free_port(const Hct& hct) {
    std::vector<Port> ports(hct.ports().begin(), hct.ports().end());
    ports.emplace_back();
    return ports;
}

Element free_pu(ElementId parent, std::uint32_t depth, NodeId node, PuId pu, std::size_t port) {
    Element leaf;
    leaf.parent = parent;
    leaf.first_pu = pu;
    leaf.num_pus = 1;
    leaf.depth = depth;
    leaf.node = node;
    leaf.port_index = static_cast<std::uint32_t>(port);
    return leaf;
}

Hct finished(std::vector<Element> elements, std::vector<Port> ports, std::vector<NodeInfo> nodes) {
    std::vector<PuInfo> pus(elements.front().num_pus);
    for (ElementId e = 0; e < elements.size(); ++e) {
        const Element& element = elements[e];
        if (element.level == Level::node) {
            nodes[element.node].element = e;
            nodes[element.node].first_pu = element.first_pu;
            nodes[element.node].num_pus = element.num_pus;
        }
    }
    for (ElementId e = 0; e < elements.size(); ++e) {
        const Element& element = elements[e];
        if (element.num_children != 0) continue;
        pus[element.first_pu] = {e, element.node};
    }
    return {std::move(elements), std::move(ports), std::move(pus), std::move(nodes)};
}

}  // namespace

Hct tree_above_nodes(const Hct& hct) {
    std::vector<PuId> first_pus;
    std::vector<NodeInfo> nodes;
    for (NodeId node = 0; node < hct.num_nodes(); ++node) {
        nodes.push_back(hct.node(node));
        first_pus.push_back(hct.node(node).first_pu);
    }
    std::sort(first_pus.begin(), first_pus.end());
    const auto nodes_before = [&](PuId pu) {
        return static_cast<PuId>(std::lower_bound(first_pus.begin(), first_pus.end(), pu) -
                                 first_pus.begin());
    };
    std::vector<Port> ports = with_free_port(hct);
    std::vector<Element> elements{hct.element(0)};
    for (ElementId e = 0; e < elements.size(); ++e) {
        if (elements[e].level == Level::pu) continue;
        const Element from = elements[e];  // still has the whole tree's numbers
        elements[e].first_pu = nodes_before(from.first_pu);
        elements[e].num_pus = nodes_before(from.first_pu + from.num_pus) - elements[e].first_pu;
        elements[e].first_child = static_cast<ElementId>(elements.size());
        if (from.level == Level::node) {
            elements[e].num_children = 1;
            elements.push_back(
                free_pu(e, from.depth + 1, from.node, elements[e].first_pu, ports.size() - 1));
            continue;
        }
        for (std::uint32_t c = 0; c < from.num_children; ++c) {
            elements.push_back(hct.element(from.first_child + c));
            elements.back().parent = e;
        }
    }
    return finished(std::move(elements), std::move(ports), std::move(nodes));
}

Hct tree_inside_node(const Hct& hct, NodeId node) {
    const NodeInfo& info = hct.node(node);
    // For a node at the root `lift` wraps round, and the subtraction below wraps back.
    const std::uint32_t lift = hct.element(info.element).depth - 1U;
    std::vector<Port> ports = with_free_port(hct);
    const auto free_port = static_cast<std::uint32_t>(ports.size() - 1);
    std::vector<Element> elements(3);
    elements[0].level = Level::switch_;
    elements[0].first_child = 1;
    elements[0].num_children = 2;
    elements[0].num_pus = info.num_pus + 1;
    elements[0].port_index = free_port;
    elements[1] = hct.element(info.element);
    elements[1].port_index = free_port;
    elements[1].first_pu = 0;
    elements[2].level = Level::node;
    elements[2].num_children = 1;
    elements[2].first_pu = info.num_pus;
    elements[2].num_pus = 1;
    elements[2].port_index = free_port;
    for (const ElementId e : {1U, 2U}) {
        elements[e].parent = 0;
        elements[e].depth = 1;
        elements[e].node = e - 1;
    }
    for (ElementId e = 1; e < elements.size(); ++e) {
        if (elements[e].num_children == 0) continue;
        const Element from = elements[e];
        elements[e].first_child = static_cast<ElementId>(elements.size());
        if (e == 2) {
            elements.push_back(free_pu(e, 2, 1, info.num_pus, free_port));
            continue;
        }
        for (std::uint32_t c = 0; c < from.num_children; ++c) {
            Element child = hct.element(from.first_child + c);
            child.parent = e;
            child.depth -= lift;
            child.node = 0;
            child.first_pu -= info.first_pu;
            elements.push_back(std::move(child));
        }
    }
    return finished(std::move(elements), std::move(ports),
                    {{info.name, 0, 0, 0}, {"outside", 0, 0, 0}});
}

}  // namespace commmap
