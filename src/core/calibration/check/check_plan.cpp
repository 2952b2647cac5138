// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/check_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/calibration/check/place_plan.hpp"
#include "core/calibration/check/stream_rate.hpp"
#include "core/calibration/port_kind.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

/// Nodes by switch, then by class, each in the allocation's order.
using NodesByPlace = std::map<std::uint32_t, std::map<std::uint32_t, std::vector<NodeId>>>;

NodesByPlace nodes_by_place(const NodePlaces& places) {
    NodesByPlace by_place;
    for (NodeId n = 0; n < places.num_nodes(); ++n) {
        by_place[places.switch_of(n)][places.class_of(n)].push_back(n);
    }
    return by_place;
}

/// A partner for a node that no other lonely one is left for: of its class if possible.
NodeId partner_elsewhere(const NodePlaces& places, NodeId lonely) {
    std::optional<NodeId> other;
    for (NodeId n = 0; n < places.num_nodes(); ++n) {
        if (n == lonely) continue;
        if (places.class_of(n) == places.class_of(lonely)) return n;
        if (!other) other = n;
    }
    return other.value_or(lonely);
}

/// Pairs nodes that are alone on their switches with each other. One partner for all of them would
/// take a round for each, and a slow one would look like a rate that all of them have.
/// @param lonely  by class, in the order of the switches: neighbours are siblings more often
/// @param later   gets the pairs of nodes that are left over
void pair_lonely(const NodePlaces& places,
                 const std::map<std::uint32_t, std::vector<NodeId>>& lonely,
                 std::vector<CheckPair>& pairs, std::vector<CheckPair>& later) {
    for (const auto& [class_index, nodes] : lonely) {
        for (std::size_t n = 0; n + 1 < nodes.size(); n += 2) {
            pairs.push_back({nodes[n], nodes[n + 1]});
        }
        if (nodes.size() % 2 == 0) continue;
        later.push_back({nodes.back(), partner_elsewhere(places, nodes.back())});
    }
}

/// Each node is in a pair. Pairs whose nodes are in no other one come first.
std::vector<CheckPair> pair_up(const NodePlaces& places) {
    std::vector<CheckPair> pairs;
    std::vector<CheckPair> later;
    std::map<std::uint32_t, std::vector<NodeId>> lonely;  // by class
    for (const auto& [s, by_class] : nodes_by_place(places)) {
        if (by_class.size() == 1 && by_class.begin()->second.size() == 1) {
            lonely[by_class.begin()->first].push_back(by_class.begin()->second.front());
            continue;
        }
        std::vector<NodeId> left_over;
        for (const auto& [class_index, nodes] : by_class) {
            for (std::size_t n = 0; n + 1 < nodes.size(); n += 2) {
                pairs.push_back({nodes[n], nodes[n + 1]});
            }
            if (nodes.size() == 1) left_over.push_back(nodes.front());
            if (nodes.size() % 2 == 1 && nodes.size() > 1) {
                later.push_back({nodes.back(), nodes.front()});
            }
        }
        for (std::size_t n = 0; n + 1 < left_over.size(); n += 2) {
            pairs.push_back({left_over[n], left_over[n + 1]});
        }
        if (left_over.size() % 2 == 0) continue;
        NodeId partner = left_over.back();
        for (const auto& [class_index, nodes] : by_class) {
            if (nodes.front() != left_over.back()) partner = nodes.front();
        }
        later.push_back({left_over.back(), partner});
    }
    pair_lonely(places, lonely, pairs, later);
    pairs.insert(pairs.end(), later.begin(), later.end());
    return pairs;
}

void add_ports(const NodePlaces& places, std::uint32_t at_once, CheckPlan& plan) {
    std::vector<CheckPair> there = pair_up(places);
    const std::size_t count = there.size();
    for (std::size_t p = 0; p < count; ++p) {
        there.push_back({there[p].receiver, there[p].sender});
    }
    add_in_rounds(CheckOf::ports, there, at_once, plan.series);
}

void add_work(const NodePlaces& places, std::uint32_t at_once, CheckPlan& plan) {
    std::vector<CheckPair> nodes;
    for (NodeId n = 0; n < places.num_nodes(); ++n) nodes.push_back({n, n});
    add_in_rounds(CheckOf::work, nodes, at_once, plan.series);
}

/// Adds the paths of one round, all in the same direction, to as few series as `at_once` allows.
void add_paths(const Cluster& cluster, const NodePlaces& places,
               const std::vector<Siblings>& siblings, std::uint32_t at_once, CheckPlan& plan) {
    std::size_t in_series = at_once;
    for (const auto& [from, to] : siblings) {
        auto [path, pairs] =
            plan_path(cluster, places, from, to, static_cast<std::uint32_t>(plan.paths.size()), {});
        if (in_series + pairs.size() > at_once) {
            plan.series.push_back({CheckOf::uplinks, {}});
            in_series = 0;
        }
        in_series += pairs.size();
        plan.paths.push_back(path);
        auto& of_series = plan.series.back().pairs;
        of_series.insert(of_series.end(), pairs.begin(), pairs.end());
    }
}

void add_uplinks(const Cluster& cluster, const NodePlaces& places, std::uint32_t at_once,
                 CheckPlan& plan) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_depth;
    for (std::uint32_t s = 1; s < cluster.switches.size(); ++s) {
        const std::size_t below = places.below(s).size();
        if (below > 0 && below < places.num_nodes()) by_depth[places.depth(s)].push_back(s);
    }
    for (const auto& [depth, switches] : by_depth) {
        std::set<std::uint32_t> tested;
        for (std::vector<Siblings>& round : sibling_rounds(cluster, switches)) {
            add_paths(cluster, places, round, at_once, plan);
            for (auto& [from, to] : round) {
                tested.insert({from, to});
                std::swap(from, to);
            }
            add_paths(cluster, places, round, at_once, plan);
        }
        for (const std::uint32_t s : switches) {
            if (tested.contains(s)) continue;
            plan.not_tested.push_back(
                fmt::format("the uplink of switch {}: no sibling of it has nodes in the job",
                            quoted(cluster.switches[s].name)));
        }
    }
}

}  // namespace

std::vector<std::vector<Siblings>> sibling_rounds(const Cluster& cluster,
                                                  const std::vector<std::uint32_t>& switches) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_parent;
    for (const std::uint32_t s : switches) by_parent[cluster.switches[s].parent].push_back(s);
    std::vector<Siblings> first;
    std::vector<Siblings> second;
    for (const auto& [parent, siblings] : by_parent) {
        for (std::size_t i = 0; i + 1 < siblings.size(); i += 2) {
            first.emplace_back(siblings[i], siblings[i + 1]);
        }
        if (siblings.size() > 1 && siblings.size() % 2 == 1) {
            second.emplace_back(siblings.back(), siblings.front());
        }
    }
    std::vector<std::vector<Siblings>> rounds;
    if (!first.empty()) rounds.push_back(std::move(first));
    if (!second.empty()) rounds.push_back(std::move(second));
    return rounds;
}

std::pair<UplinkPath, std::vector<CheckPair>> plan_path(const Cluster& cluster,
                                                        const NodePlaces& places,
                                                        std::uint32_t from, std::uint32_t to,
                                                        std::uint32_t path,
                                                        const std::vector<NodeId>& not_these) {
    const auto chosen_last = [&](std::uint32_t s) {
        std::vector<NodeId> nodes = places.below(s);
        std::stable_partition(nodes.begin(), nodes.end(), [&](NodeId n) {
            return std::find(not_these.begin(), not_these.end(), n) == not_these.end();
        });
        return nodes;
    };
    const std::vector<NodeId> senders = chosen_last(from);
    const std::vector<NodeId> receivers = chosen_last(to);
    const double uplink = std::min(stream_rate(cluster.switches[from].link.out),
                                   stream_rate(cluster.switches[to].link.in));
    const double one = rate_of_ports(cluster, places, senders.front(), receivers.front());
    // One more than needed: a node that is slow itself must not look like a slow uplink.
    const double wanted = std::isfinite(uplink) ? std::ceil(uplink / one) + 1 : HUGE_VAL;
    const std::size_t count = std::min<std::size_t>(
        {senders.size(), receivers.size(),
         static_cast<std::size_t>(std::min<double>(wanted, max_pairs_of_kind))});
    // Without nodes to avoid, nodes of different switches are spread.
    const auto take = [&](const std::vector<NodeId>& nodes) {
        return not_these.empty()
                   ? places.spread(nodes, count)
                   : std::vector<NodeId>(nodes.begin(),
                                         nodes.begin() + static_cast<std::ptrdiff_t>(count));
    };
    const std::vector<NodeId> out = take(senders);
    const std::vector<NodeId> in = take(receivers);
    UplinkPath planned{from, to, static_cast<std::uint32_t>(count), 0.0};
    std::vector<CheckPair> pairs;
    for (std::size_t p = 0; p < count; ++p) {
        pairs.push_back({out[p], in[p], path});
        planned.by_file_bytes_per_s += rate_of_ports(cluster, places, out[p], in[p]);
    }
    planned.by_file_bytes_per_s = std::min(planned.by_file_bytes_per_s, uplink);
    return {planned, std::move(pairs)};
}

CheckPlan plan_check(const Cluster& cluster, const NodePlaces& places, std::uint32_t at_once) {
    CheckPlan plan;
    add_ports(places, at_once, plan);
    add_work(places, at_once, plan);
    add_uplinks(cluster, places, at_once, plan);
    PlacePlan place = plan_places(cluster, places, at_once);
    plan.series.insert(plan.series.end(), place.series.begin(), place.series.end());
    plan.not_tested.insert(plan.not_tested.end(), place.not_tested.begin(), place.not_tested.end());
    return plan;
}

}  // namespace commmap
