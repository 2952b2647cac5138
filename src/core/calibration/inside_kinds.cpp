// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/inside_kinds.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/calibration/node_places.hpp"

namespace commmap {
namespace {

using Cpus = std::vector<std::uint32_t>;

/// The CPUs below each vertex of a node's tree, by turns from each child: cores come before the
/// second PUs of cores.
std::vector<Cpus> cpus_below(const NodeTree& tree) {
    std::vector<Cpus> below(tree.vertices.size());
    for (std::size_t v = tree.vertices.size(); v-- > 0;) {  // children before parents
        const NodeTree::Vertex& vertex = tree.vertices[v];
        if (vertex.children.empty()) {
            below[v] = {vertex.os_index};
            continue;
        }
        std::size_t most = 0;
        for (const std::uint32_t child : vertex.children) {
            most = std::max(most, below[child].size());
        }
        for (std::size_t turn = 0; turn < most; ++turn) {
            for (const std::uint32_t child : vertex.children) {
                if (turn < below[child].size()) below[v].push_back(below[child][turn]);
            }
        }
    }
    return below;
}

void measure_single(const std::vector<const Cpus*>& siblings, PortKind& kind) {
    const std::size_t pairs =
        std::min<std::size_t>(siblings.size() - 1, std::size_t{max_pairs_of_kind});
    kind.ends_a.assign(pairs, siblings.front()->front());
    kind.ends_b.clear();
    for (std::size_t p = 1; p <= pairs; ++p) kind.ends_b.push_back(siblings[p]->front());
}

void measure_several(const Cpus& first, const Cpus& second, PortKind& kind) {
    const auto pairs = static_cast<std::ptrdiff_t>(
        std::min({first.size(), second.size(), std::size_t{max_pairs_inside}}));
    kind.ends_a.assign(first.begin(), first.begin() + pairs);
    kind.ends_b.assign(second.begin(), second.begin() + pairs);
}

/// What stands for a kind: PUs of the smaller sibling, then the number of siblings.
using Size = std::pair<std::size_t, std::size_t>;

/// Lets siblings below one parent stand for their kind if they are larger than those before.
/// @param siblings  the CPUs below each; at least two
void measure_if_better(std::vector<const Cpus*> siblings, Size& most, PortKind& kind) {
    std::stable_sort(siblings.begin(), siblings.end(),
                     [](const Cpus* a, const Cpus* b) { return a->size() > b->size(); });
    const Size size{siblings[1]->size(), siblings.size()};
    if (size <= most) return;
    most = size;
    if (siblings[1]->size() == 1) {
        measure_single(siblings, kind);
    } else {
        measure_several(*siblings[0], *siblings[1], kind);
    }
}

std::vector<PortKind> kinds_of_class(const Cluster& cluster, std::uint32_t class_index, NodeId node,
                                     std::uint32_t num_nodes) {
    const NodeClass& node_class = cluster.classes[class_index];
    const NodeTree& tree = node_class.tree;
    const std::vector<Cpus> below = cpus_below(tree);
    struct Found {
        PortKind kind;
        Size most;
        std::uint32_t depth = 0;
    };
    std::map<Level, Found> by_level;
    std::vector<std::uint32_t> depth(tree.vertices.size(), 0);
    for (std::size_t v = 0; v < tree.vertices.size(); ++v) {
        const NodeTree::Vertex& parent = tree.vertices[v];
        std::map<Level, std::vector<const Cpus*>> siblings;
        for (const std::uint32_t child : parent.children) {
            const InsidePort port = port_inside(node_class, tree.vertices[child].levels);
            depth[child] = depth[v] + 1;
            const auto [found, is_new] = by_level.try_emplace(port.level);
            PortKind& kind = found->second.kind;
            if (is_new) {
                found->second.depth = depth[child];
                kind.owner = PortKind::Owner::inside;
                kind.class_index = class_index;
                kind.level = port.level;
                kind.node = node;
                kind.link = port.port;
                const auto name = node_class.inside_link_names.find(port.level);
                if (name != node_class.inside_link_names.end()) kind.link_name = name->second;
            }
            if (found->second.depth != depth[child]) {
                kind.why_not = "it stands at several depths of the node, which have one port";
            }
            kind.num_ports += num_nodes;
            siblings[port.level].push_back(&below[child]);
        }
        for (auto& [level, cpus] : siblings) {
            if (cpus.size() < 2) continue;
            Found& found = by_level.at(level);
            measure_if_better(std::move(cpus), found.most, found.kind);
        }
    }
    std::vector<PortKind> kinds;
    for (auto& [level, found] : by_level) {
        if (!found.kind.ends_a.empty()) kinds.push_back(std::move(found.kind));
    }
    // With a single level any two PUs are siblings, whatever their numbers are.
    if (!tree.has_os_indices && kinds.size() > 1) {
        for (PortKind& kind : kinds) {
            kind.why_not =
                "a synthetic topology does not say which CPU is where: give the class hwloc's XML";
        }
    }
    return kinds;
}

}  // namespace

Result<std::vector<PortKind>> find_inside_kinds(const Cluster& cluster,
                                                const Allocation& allocation) {
    const auto places = NodePlaces::find(cluster, allocation);
    if (!places) return places.error();
    std::map<std::uint32_t, std::vector<NodeId>> by_class;
    for (NodeId n = 0; n < places.value().num_nodes(); ++n) {
        by_class[places.value().class_of(n)].push_back(n);
    }
    std::vector<PortKind> kinds;
    for (const auto& [class_index, nodes] : by_class) {
        std::vector<PortKind> its = kinds_of_class(cluster, class_index, nodes.front(),
                                                   static_cast<std::uint32_t>(nodes.size()));
        kinds.insert(kinds.end(), std::make_move_iterator(its.begin()),
                     std::make_move_iterator(its.end()));
    }
    return kinds;
}

}  // namespace commmap
