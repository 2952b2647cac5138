// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/switch_kind.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/calibration/node_places.hpp"

namespace commmap {
namespace {

/// What may be measured together: ways to the switch that are equal by the file.
using Way = std::tuple<std::uint32_t, std::string, Port>;  // class, name and numbers of the uplink

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
    std::vector<NodeId> nodes = largest_of(direct);
    if (nodes.size() >= 2 * min_pairs_of_switch) return nodes;
    std::map<Way, std::vector<NodeId>> below;
    for (std::uint32_t child = s + 1; child < cluster.switches.size(); ++child) {
        const Cluster::Switch& one = cluster.switches[child];
        if (one.parent != s || places.below(child).empty()) continue;
        const NodeId first = places.below(child).front();
        below[{places.class_of(first), one.link_name, one.link}].push_back(first);
    }
    return largest_of(below);
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
    std::vector<SwitchKind> kinds;
    for (std::uint32_t s = 0; s < cluster.switches.size(); ++s) {
        const std::uint32_t depth = places.value().depth(s);
        const double max = cluster.switches[s].max_bandwidth_bytes_per_s;
        auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const SwitchKind& one) {
            return one.depth == depth && one.max_bandwidth_bytes_per_s == max;
        });
        if (kind == kinds.end()) {
            kinds.emplace_back();
            kind = kinds.end() - 1;
            kind->depth = depth;
            kind->max_bandwidth_bytes_per_s = max;
            kind->why_not = "no two pairs of nodes in the job have ports of their own there";
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
