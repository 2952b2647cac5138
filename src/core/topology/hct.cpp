// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/hct.hpp"

#include <array>
#include <cassert>
#include <utility>

namespace commmap {
namespace {

#ifndef NDEBUG
bool may_be_below(Level child, Level parent) {
    if (parent == Level::switch_) return child == Level::switch_ || child == Level::node;
    return child > Level::node;
}

void check_elements(std::span<const Element> elements, std::size_t num_ports) {
    assert(!elements.empty() && "a topology has a root");
    assert(elements[0].parent == no_id && elements[0].depth == 0 && "element 0 is the root");
    assert(elements[0].first_pu == 0);
    std::size_t next_child = 1;  // breadth first: children of element i follow those of i - 1
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Element& element = elements[i];
        assert(element.port_index < num_ports && "a port exists");
        assert((element.num_children == 0) == (element.level == Level::pu) && "leaves are PUs");
        if (element.num_children == 0) {
            assert(element.num_pus == 1 && "a leaf is one PU");
            continue;
        }
        assert(element.first_child == next_child && "elements are numbered breadth first");
        next_child += element.num_children;
        assert(next_child <= elements.size() && "children exist");
        PuId next_pu = element.first_pu;
        for (std::size_t c = element.first_child; c < next_child; ++c) {
            const Element& child = elements[c];
            assert(child.parent == i && "child and parent agree");
            assert(child.depth == element.depth + 1 && "depth counts from the root");
            assert(may_be_below(child.level, element.level) && "levels go down");
            assert(child.first_pu == next_pu && "leaves below an element are consecutive");
            assert((child.level == Level::node ? element.node == no_id && child.node != no_id
                                               : child.node == element.node) &&
                   "what is inside a node belongs to it");
            next_pu += child.num_pus;
        }
        assert(next_pu == element.first_pu + element.num_pus && "leaves below are counted");
    }
    assert(next_child == elements.size() && "every element has a parent");
}

void check_pus_and_nodes(std::span<const Element> elements, std::span<const PuInfo> pus,
                         std::span<const NodeInfo> nodes) {
    assert(pus.size() == elements[0].num_pus && "every leaf has a PuInfo");
    for (std::size_t p = 0; p < pus.size(); ++p) {
        const PuInfo& pu = pus[p];
        assert(pu.element < elements.size() && elements[pu.element].level == Level::pu);
        assert(elements[pu.element].first_pu == p && "PU and leaf agree");
        assert(pu.node < nodes.size() && elements[pu.element].node == pu.node);
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const NodeInfo& node = nodes[n];
        assert(node.element < elements.size() && elements[node.element].level == Level::node);
        const Element& element = elements[node.element];
        assert(element.node == n && "node and element agree");
        assert(element.first_pu == node.first_pu && element.num_pus == node.num_pus);
    }
}
#endif

}  // namespace

const char* level_name(Level level) {
    constexpr std::array<const char*, num_levels> names{"switch", "node", "package", "numa",
                                                        "cache",  "core", "pu"};
    return names.at(static_cast<std::size_t>(level));
}

Hct::Hct(std::vector<Element> elements, std::vector<Port> ports, std::vector<PuInfo> pus,
         std::vector<NodeInfo> nodes)
    : elements_(std::move(elements)),
      ports_(std::move(ports)),
      pus_(std::move(pus)),
      nodes_(std::move(nodes)) {
#ifndef NDEBUG
    check_elements(elements_, ports_.size());
    check_pus_and_nodes(elements_, pus_, nodes_);
#endif
}

ElementId Hct::common_ancestor(PuId a, PuId b) const {
    const auto nothing = [](ElementId) {};
    return for_each_port(a, b, nothing, nothing);
}

unsigned Hct::hops(PuId a, PuId b) const {
    unsigned count = 0;
    const auto one = [&](ElementId) { ++count; };
    for_each_port(a, b, one, one);
    return count;
}

}  // namespace commmap
