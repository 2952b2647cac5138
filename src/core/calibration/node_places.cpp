// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/node_places.hpp"

#include <fmt/core.h>

#include <map>
#include <set>
#include <string>

#include "core/text/one_line.hpp"

namespace commmap {

Result<NodePlaces> NodePlaces::find(const Cluster& cluster, const Allocation& allocation) {
    NodePlaces places;
    places.below_.resize(cluster.switches.size());
    places.depth_.resize(cluster.switches.size(), 0);
    // parents come before children
    for (std::size_t s = 1; s < cluster.switches.size(); ++s) {
        places.depth_[s] = places.depth_[cluster.switches[s].parent] + 1;
    }
    std::set<std::uint32_t> seen;
    for (NodeId n = 0; n < allocation.nodes.size(); ++n) {
        const std::string& name = allocation.nodes[n].name;
        const auto found = cluster.node_index.find(name);
        if (found == cluster.node_index.end()) {
            return Error{Errc::not_found,
                         fmt::format("node {} of the job is not in {}: add it to a switch, or "
                                     "leave it out of the job",
                                     quoted(name), cluster.source)};
        }
        if (!seen.insert(found->second).second) {
            return Error{Errc::invalid_input,
                         fmt::format("node {} is in the list of nodes twice", quoted(name))};
        }
        const Cluster::Node& node = cluster.nodes[found->second];
        places.class_of_.push_back(node.class_index);
        places.switch_of_.push_back(node.switch_index);
        for (std::uint32_t s = node.switch_index; s != no_id; s = cluster.switches[s].parent) {
            places.below_[s].push_back(n);
        }
    }
    return places;
}

std::vector<NodeId> NodePlaces::spread(const std::vector<NodeId>& nodes, std::size_t count) const {
    std::map<std::uint32_t, std::vector<NodeId>> by_switch;
    for (const NodeId n : nodes) by_switch[switch_of(n)].push_back(n);
    std::vector<NodeId> chosen;
    for (std::size_t turn = 0; chosen.size() < count; ++turn) {
        for (const auto& [s, hanging] : by_switch) {
            if (turn < hanging.size() && chosen.size() < count) chosen.push_back(hanging[turn]);
        }
    }
    return chosen;
}

}  // namespace commmap
