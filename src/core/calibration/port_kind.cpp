// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/port_kind.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/text/one_line.hpp"

namespace commmap {
namespace {

/// The allocation's nodes as places in the cluster's tree.
class Places {
public:
    explicit Places(const Cluster& cluster)
        : cluster_(cluster), below_(cluster.switches.size()), depth_(cluster.switches.size(), 0) {
        // parents come before children
        for (std::size_t s = 1; s < cluster.switches.size(); ++s) {
            depth_[s] = depth_[cluster.switches[s].parent] + 1;
        }
    }

    Status add(const Allocation& allocation) {
        for (NodeId n = 0; n < allocation.nodes.size(); ++n) {
            const std::string& name = allocation.nodes[n].name;
            const auto found = cluster_.node_index.find(name);
            if (found == cluster_.node_index.end()) {
                return Error{Errc::not_found,
                             fmt::format("node {} of the job is not in {}: add it to a switch, or "
                                         "leave it out of the job",
                                         quoted(name), cluster_.source)};
            }
            if (!seen_.insert(found->second).second) {
                return Error{Errc::invalid_input,
                             fmt::format("node {} is in the list of nodes twice", quoted(name))};
            }
            const Cluster::Node& node = cluster_.nodes[found->second];
            class_of_.push_back(node.class_index);
            switch_of_.push_back(node.switch_index);
            for (std::uint32_t s = node.switch_index; s != no_id; s = cluster_.switches[s].parent) {
                below_[s].push_back(n);
            }
        }
        return Ok{};
    }

    [[nodiscard]] const std::vector<NodeId>& below(std::uint32_t s) const { return below_[s]; }
    [[nodiscard]] std::uint32_t depth(std::uint32_t s) const { return depth_[s]; }
    [[nodiscard]] std::uint32_t class_of(NodeId n) const { return class_of_[n]; }
    [[nodiscard]] std::uint32_t switch_of(NodeId n) const { return switch_of_[n]; }
    [[nodiscard]] std::size_t num_nodes() const { return class_of_.size(); }

private:
    const Cluster& cluster_;
    std::vector<std::vector<NodeId>> below_;  ///< of each switch: the nodes below it
    std::vector<std::uint32_t> depth_;
    std::vector<std::uint32_t> class_of_;
    std::vector<std::uint32_t> switch_of_;
    std::set<std::uint32_t> seen_;
};

std::vector<PortKind> kinds_of_nodes(const Cluster& cluster, const Places& places) {
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
        kind.nodes_a.assign(pairs, largest->front());
        kind.nodes_b.assign(largest->begin() + 1,
                            largest->begin() + 1 + static_cast<std::ptrdiff_t>(pairs));
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

/// Takes some of the nodes below a switch, by turns from each switch that nodes hang on: messages of
/// nodes on one leaf switch would share its uplink before they reach the one that is measured.
/// @pre nodes.size() >= count
std::vector<NodeId> spread(const std::vector<NodeId>& nodes, std::size_t count,
                           const Places& places) {
    std::map<std::uint32_t, std::vector<NodeId>> by_switch;
    for (const NodeId n : nodes) by_switch[places.switch_of(n)].push_back(n);
    std::vector<NodeId> chosen;
    for (std::size_t turn = 0; chosen.size() < count; ++turn) {
        for (const auto& [s, hanging] : by_switch) {
            if (turn < hanging.size() && chosen.size() < count) chosen.push_back(hanging[turn]);
        }
    }
    return chosen;
}

/// The two siblings that stand for a kind of uplinks, as far as they have been looked for.
struct UplinkKind {
    PortKind kind;
    /// by parent: the two switches of the kind with the most nodes below them
    std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>> largest;
};

std::vector<PortKind> kinds_of_uplinks(const Cluster& cluster, const Places& places) {
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
            uplinks.kind.nodes_a = spread(places.below(first), pairs, places);
            uplinks.kind.nodes_b = spread(places.below(second), pairs, places);
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

Result<std::vector<PortKind>> find_port_kinds(const Cluster& cluster,
                                              const Allocation& allocation) {
    if (allocation.nodes.size() < 2) {
        return Error{Errc::invalid_input,
                     "a job of one node has no link to measure: ask for two nodes or more (-N 2)"};
    }
    Places places(cluster);
    if (Status added = places.add(allocation); !added) return added.error();
    std::vector<PortKind> kinds = kinds_of_nodes(cluster, places);
    std::vector<PortKind> uplinks = kinds_of_uplinks(cluster, places);
    kinds.insert(kinds.end(), std::make_move_iterator(uplinks.begin()),
                 std::make_move_iterator(uplinks.end()));
    return kinds;
}

}  // namespace commmap
