// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/port_kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/calibration/node_places.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

std::vector<PortKind> kinds_of_nodes(const Cluster& cluster, const NodePlaces& places) {
    // by class, then by switch, in the order of the file
    std::map<std::uint32_t, std::map<std::uint32_t, std::vector<NodeId>>> by_class;
    for (NodeId n = 0; n < places.num_nodes(); ++n) {
        by_class[places.class_of(n)][places.switch_of(n)].push_back(n);
    }
    std::vector<PortKind> kinds;
    for (const auto& [class_index, by_switch] : by_class) {
        const NodeClass& node_class = cluster.classes[class_index];
        PortKind kind;
        kind.owner = PortKind::Owner::node;
        kind.class_index = class_index;
        kind.link_name = node_class.link_name;
        kind.link = node_class.link;
        const std::vector<NodeId>* largest = nullptr;
        for (const auto& [s, nodes] : by_switch) {
            kind.num_ports += static_cast<std::uint32_t>(nodes.size());
            if (largest == nullptr || nodes.size() > largest->size()) largest = &nodes;
        }
        const std::size_t pairs =
            std::min<std::size_t>(largest->size() - 1, std::size_t{max_pairs_of_kind});
        if (pairs == 0) {
            kind.why_not =
                fmt::format("no two nodes of class {} hang on one switch", quoted(node_class.name));
        }
        kind.ends_a.assign(pairs, largest->front());
        kind.ends_b.assign(largest->begin() + 1,
                           largest->begin() + 1 + static_cast<std::ptrdiff_t>(pairs));
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

/// The two siblings that stand for a kind of uplinks, as far as they have been looked for.
struct UplinkKind {
    PortKind kind;
    /// by parent: the two switches of the kind with the most nodes below them
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> largest;
};

std::vector<PortKind> kinds_of_uplinks(const Cluster& cluster, const NodePlaces& places) {
    // a deeper switch comes first; a Port has an order
    using Key = std::tuple<std::uint32_t, std::string, Port>;
    std::map<Key, UplinkKind> by_key;
    const auto nodes_below = [&](std::uint32_t s) {
        return s == no_id ? std::size_t{0} : places.below(s).size();
    };
    for (std::uint32_t s = 1; s < cluster.switches.size(); ++s) {
        const Cluster::Switch& one = cluster.switches[s];
        if (nodes_below(s) == 0 || nodes_below(s) == places.num_nodes()) continue;
        const Key key{UINT32_MAX - places.depth(s), one.link_name, one.link};
        const auto [found, is_new] = by_key.try_emplace(key);
        UplinkKind& uplinks = found->second;
        if (is_new) {
            uplinks.kind.owner = PortKind::Owner::switch_;
            uplinks.kind.depth = places.depth(s);
            uplinks.kind.link_name = one.link_name;
            uplinks.kind.link = one.link;
        }
        ++uplinks.kind.num_ports;
        auto& [first, second] = uplinks.largest.try_emplace(one.parent, no_id, no_id).first->second;
        if (nodes_below(s) > nodes_below(first)) {
            second = std::exchange(first, s);
        } else if (nodes_below(s) > nodes_below(second)) {
            second = s;
        }
    }
    std::vector<PortKind> kinds;
    for (auto& [key, uplinks] : by_key) {
        std::size_t most = 0;
        for (const auto& [parent, siblings] : uplinks.largest) {
            const auto& [first, second] = siblings;
            if (nodes_below(second) <= most) continue;
            most = nodes_below(second);
            const auto pairs = std::min<std::size_t>(most, std::size_t{max_pairs_of_kind});
            uplinks.kind.ends_a = places.spread(places.below(first), pairs);
            uplinks.kind.ends_b = places.spread(places.below(second), pairs);
        }
        if (most == 0) {
            uplinks.kind.why_not =
                "no two switches with this uplink hang on one switch and have nodes in the job";
        }
        kinds.push_back(std::move(uplinks.kind));
    }
    return kinds;
}

}  // namespace

std::uint32_t depth_of(const Cluster& cluster, const Cluster::Switch& one) {
    std::uint32_t depth = 0;
    for (std::uint32_t above = one.parent; above != no_id; above = cluster.switches[above].parent) {
        ++depth;
    }
    return depth;
}

Result<std::vector<PortKind>> find_port_kinds(const Cluster& cluster,
                                              const Allocation& allocation) {
    if (allocation.nodes.size() < 2) {
        return Error{Errc::invalid_input,
                     "a job of one node has no link to measure: ask for two nodes or more (-N 2)"};
    }
    const auto places = NodePlaces::find(cluster, allocation);
    if (!places) return places.error();
    std::vector<PortKind> kinds = kinds_of_nodes(cluster, places.value());
    std::vector<PortKind> uplinks = kinds_of_uplinks(cluster, places.value());
    kinds.insert(kinds.end(), std::make_move_iterator(uplinks.begin()),
                 std::make_move_iterator(uplinks.end()));
    return kinds;
}

}  // namespace commmap
