// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/switch_kind.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/calibration/node_places.hpp"

namespace commmap {
namespace {

/// A link by its name and its numbers in the file.
using Link = std::pair<std::string, Port>;

/// The way from a node to a switch: the node's class, then the uplinks that are passed.
using Way = std::pair<std::uint32_t, std::vector<Link>>;

/// @param child  the switch on that way that hangs on the wanted switch
Way way_of(const Cluster& cluster, const NodePlaces& places, NodeId n, std::uint32_t child) {
    Way way{places.class_of(n), {}};
    for (std::uint32_t s = places.switch_of(n);; s = cluster.switches[s].parent) {
        way.second.emplace_back(cluster.switches[s].link_name, cluster.switches[s].link);
        if (s == child) return way;
    }
}

/// The largest group; the first of equals.
template <class Groups>
std::vector<NodeId> largest_of(const Groups& groups) {
    std::vector<NodeId> largest;
    for (const auto& [way, nodes] : groups) {
        if (nodes.size() > largest.size()) largest = nodes;
    }
    return largest;
}

/// Nodes with a way of their own to a switch, of the same kind for all.
std::vector<NodeId> nodes_with_own_way(const Cluster& cluster, const NodePlaces& places,
                                       std::uint32_t s) {
    std::map<std::uint32_t, std::vector<NodeId>> direct;  // by class
    for (const NodeId n : places.below(s)) {
        if (places.switch_of(n) == s) direct[places.class_of(n)].push_back(n);
    }
    std::map<Way, std::vector<NodeId>> below;
    for (std::uint32_t child = s + 1; child < cluster.switches.size(); ++child) {
        if (cluster.switches[child].parent != s) continue;
        std::set<Way> seen;
        for (const NodeId n : places.below(child)) {
            Way way = way_of(cluster, places, n, child);
            if (seen.insert(way).second) below[std::move(way)].push_back(n);
        }
    }
    std::vector<NodeId> of_switch = largest_of(direct);
    std::vector<NodeId> of_children = largest_of(below);
    return of_children.size() > of_switch.size() ? of_children : of_switch;
}

/// What makes switches of one depth the same kind.
struct Ports {
    double max_bandwidth_bytes_per_s = 0.0;
    Link uplink;
    std::set<Link> of_nodes;
    std::set<Link> of_switches;  ///< below
    bool operator==(const Ports&) const = default;
};

/// @return  one for each switch
std::vector<Ports> ports_of_switches(const Cluster& cluster) {
    std::vector<Ports> all;
    for (const Cluster::Switch& one : cluster.switches) {
        all.push_back({one.max_bandwidth_bytes_per_s, {one.link_name, one.link}, {}, {}});
        if (one.parent != no_id) all[one.parent].of_switches.insert(all.back().uplink);
    }
    for (const Cluster::Node& node : cluster.nodes) {
        const NodeClass& its = cluster.classes[node.class_index];
        all[node.switch_index].of_nodes.insert({its.link_name, its.link});
    }
    return all;
}

/// Lets a switch stand for its kind if it has more pairs than the switch before.
void measure_if_better(const Cluster& cluster, const NodePlaces& places, std::uint32_t s,
                       SwitchKind& kind) {
    const std::vector<NodeId> nodes = nodes_with_own_way(cluster, places, s);
    const std::size_t pairs =
        std::min<std::size_t>(nodes.size() / 2, std::size_t{max_pairs_of_switch});
    if (pairs < min_pairs_of_switch || pairs <= kind.senders.size()) return;
    const auto half = nodes.begin() + static_cast<std::ptrdiff_t>(pairs);
    kind.measured = s;
    kind.senders.assign(nodes.begin(), half);
    kind.receivers.assign(half, half + static_cast<std::ptrdiff_t>(pairs));
    kind.why_not.clear();
}

}  // namespace

Result<std::vector<SwitchKind>> find_switch_kinds(const Cluster& cluster,
                                                  const Allocation& allocation) {
    const auto places = NodePlaces::find(cluster, allocation);
    if (!places) return places.error();
    const std::vector<Ports> ports = ports_of_switches(cluster);
    std::vector<SwitchKind> kinds;
    for (std::uint32_t s = 0; s < cluster.switches.size(); ++s) {
        const std::uint32_t depth = places.value().depth(s);
        auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const SwitchKind& one) {
            return one.depth == depth && ports[one.switches.front()] == ports[s];
        });
        if (kind == kinds.end()) {
            kinds.emplace_back();
            kind = kinds.end() - 1;
            kind->depth = depth;
            kind->max_bandwidth_bytes_per_s = ports[s].max_bandwidth_bytes_per_s;
            kind->why_not = "no two pairs of nodes in the job have equal ports of their own there";
        }
        kind->switches.push_back(s);
        measure_if_better(cluster, places.value(), s, *kind);
    }
    std::erase_if(kinds, [&](const SwitchKind& kind) {
        return std::all_of(kind.switches.begin(), kind.switches.end(),
                           [&](std::uint32_t s) { return places.value().below(s).empty(); });
    });
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const SwitchKind& a, const SwitchKind& b) { return a.depth > b.depth; });
    return kinds;
}

}  // namespace commmap
