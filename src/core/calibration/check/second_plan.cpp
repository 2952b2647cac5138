// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/second_plan.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/calibration/check/check_plan.hpp"
#include "core/calibration/check/place_plan.hpp"

namespace commmap {
namespace {

constexpr std::size_t most_controls = 3;
/// A suspect of place meets so many nodes of another switch.
constexpr std::size_t most_meetings = 2;

/// The best partner to measure one end of a port with. @pre at least two nodes
NodeId partner_of(const PortEnd& end, const NodePlaces& places, const CheckPlan& first,
                  const Suspects& suspects) {
    std::set<NodeId> before;
    for (const CheckSeries& series : first.series) {
        if (series.of != CheckOf::ports) continue;
        for (const CheckPair& pair : series.pairs) {
            const auto& [from, to] = end.out ? std::pair(pair.sender, pair.receiver)
                                             : std::pair(pair.receiver, pair.sender);
            if (from == end.node) before.insert(to);
        }
    }
    // the smaller the better, from left to right
    using Faults = std::tuple<bool, bool, bool, bool, bool>;
    std::optional<std::pair<Faults, NodeId>> best;
    for (NodeId n = 0; n < places.num_nodes(); ++n) {
        if (n == end.node) continue;
        const Faults faults{suspects.ports.contains({n, !end.out}), suspects.has(n),
                            places.switch_of(n) != places.switch_of(end.node), before.contains(n),
                            places.class_of(n) != places.class_of(end.node)};
        if (!best || faults < best->first) best = {faults, n};
    }
    return best->second;
}

void add_ports(const NodePlaces& places, const CheckPlan& first, const Suspects& suspects,
               std::uint32_t at_once, CheckPlan& plan) {
    if (suspects.ports.empty()) return;
    std::vector<CheckPair> pairs;
    std::vector<CheckPair> alone;
    for (const PortEnd& end : suspects.ports) {
        const NodeId partner = partner_of(end, places, first, suspects);
        const CheckPair pair =
            end.out ? CheckPair{end.node, partner} : CheckPair{partner, end.node};
        const bool across = places.switch_of(end.node) != places.switch_of(partner);
        auto& to = across || !suspects.places.empty() ? alone : pairs;
        if (std::find(to.begin(), to.end(), pair) == to.end()) to.push_back(pair);
    }
    std::size_t controls = 0;
    for (const CheckSeries& series : first.series) {
        if (series.of != CheckOf::ports) continue;
        for (const CheckPair& pair : series.pairs) {
            if (controls == most_controls) break;
            if (suspects.has(pair.sender) || suspects.has(pair.receiver)) continue;
            if (std::find(pairs.begin(), pairs.end(), pair) != pairs.end()) continue;
            pairs.push_back(pair);
            ++controls;
        }
    }
    add_in_rounds(CheckOf::ports, pairs, at_once, plan.series);
    add_in_rounds(CheckOf::ports, alone, 1, plan.series);
}

void add_work(const NodePlaces& places, const Suspects& suspects, std::uint32_t at_once,
              CheckPlan& plan) {
    std::map<std::uint32_t, std::vector<NodeId>> controls;  // by class
    for (NodeId n = 0; n < places.num_nodes(); ++n) {
        auto& of_class = controls[places.class_of(n)];
        if (!suspects.work.contains(n) && of_class.size() < most_controls) of_class.push_back(n);
    }
    std::vector<CheckPair> nodes;
    std::map<std::uint32_t, std::size_t> next;
    for (const NodeId n : suspects.work) {
        nodes.push_back({n, n});
        const auto& of_class = controls[places.class_of(n)];
        if (of_class.empty()) continue;
        const NodeId control = of_class[next[places.class_of(n)]++ % of_class.size()];
        nodes.push_back({control, control});
    }
    // The better of two times counts: other load may come and go.
    for (int time = 0; time < 2; ++time) {
        add_in_rounds(CheckOf::work, nodes, at_once, plan.series);
    }
}

/// The best sibling to measure one end of an uplink with.
std::optional<std::uint32_t> sibling_of(const UplinkEnd& end, const Cluster& cluster,
                                        const NodePlaces& places, const CheckPlan& first,
                                        const Suspects& suspects) {
    const auto measured_with = [&](std::uint32_t s) {
        return std::any_of(first.paths.begin(), first.paths.end(), [&](const UplinkPath& path) {
            return end.out ? path.from == end.of_switch && path.to == s
                           : path.to == end.of_switch && path.from == s;
        });
    };
    const auto has_slow_nodes_only = [&](std::uint32_t s) {
        return std::all_of(places.below(s).begin(), places.below(s).end(), [&](NodeId n) {
            return suspects.ports.contains({n, !end.out});
        });
    };
    using Faults = std::tuple<bool, bool, bool>;  // the smaller the better
    std::optional<std::pair<Faults, std::uint32_t>> best;
    for (std::uint32_t s = 1; s < cluster.switches.size(); ++s) {
        if (s == end.of_switch || places.below(s).empty()) continue;
        if (cluster.switches[s].parent != cluster.switches[end.of_switch].parent) continue;
        const Faults faults{has_slow_nodes_only(s), suspects.uplinks.contains({s, !end.out}),
                            measured_with(s)};
        if (!best || faults < best->first) best = {faults, s};
    }
    return best ? std::optional(best->second) : std::nullopt;
}

void add_paths(const Cluster& cluster, const NodePlaces& places, const CheckPlan& first,
               const Suspects& suspects, CheckPlan& plan) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> again;
    for (const UplinkEnd& end : suspects.uplinks) {
        const auto sibling = sibling_of(end, cluster, places, first, suspects);
        if (!sibling) continue;
        again.insert(end.out ? std::pair(end.of_switch, *sibling)
                             : std::pair(*sibling, end.of_switch));
    }
    for (const auto& [from, to] : again) {
        std::vector<NodeId> not_these;
        for (const CheckSeries& series : first.series) {
            for (const CheckPair& pair : series.pairs) {
                if (series.of != CheckOf::uplinks) continue;
                const UplinkPath& path = first.paths[pair.path];
                if (path.from == from) not_these.push_back(pair.sender);
                if (path.to == to) not_these.push_back(pair.receiver);
            }
        }
        for (NodeId n = 0; n < places.num_nodes(); ++n) {
            if (suspects.has(n)) not_these.push_back(n);
        }
        auto [path, pairs] = plan_path(cluster, places, from, to,
                                       static_cast<std::uint32_t>(plan.paths.size()), not_these);
        plan.paths.push_back(path);
        plan.series.push_back({CheckOf::uplinks, std::move(pairs)});
    }
}

/// The nodes that hang on a switch itself: those that are no suspects, then the others.
struct Hanging {
    std::vector<NodeId> clean;
    std::vector<NodeId> suspects;
};

Hanging hanging_on(const NodePlaces& places, const Suspects& suspects, std::uint32_t s) {
    Hanging hanging;
    for (const NodeId n : places.below(s)) {
        if (places.switch_of(n) != s) continue;
        (suspects.places.contains(n) ? hanging.suspects : hanging.clean).push_back(n);
    }
    return hanging;
}

/// Measures suspects of two switches while clean nodes fill the uplinks.
void add_meetings(const NodePlaces& places, const Suspects& suspects, const FilledUplinks& filled,
                  std::uint32_t at_once, CheckPlan& plan) {
    Hanging a = hanging_on(places, suspects, filled.a);
    Hanging b = hanging_on(places, suspects, filled.b);
    const std::size_t count = filled.num_streams;
    if (a.suspects.empty() && b.suspects.empty()) return;
    if (a.clean.size() < count || b.clean.size() < count) return;
    const auto take = [&](std::vector<NodeId>& clean) {
        // the last ones: the first were taken in the first turn
        std::vector<NodeId> taken(clean.end() - static_cast<std::ptrdiff_t>(count), clean.end());
        clean.resize(clean.size() - count);
        return taken;
    };
    const std::vector<NodeId> of_a = take(a.clean);
    const std::vector<NodeId> of_b = take(b.clean);
    const std::vector<CheckPair> loads = filling(of_a, of_b);
    std::vector<CheckPair> meetings;
    const auto meet = [&](const Hanging& own, const Hanging& other) {
        for (const NodeId n : own.suspects) {
            // by the direction of its port that is fine
            const bool receives = suspects.ports.contains({n, true});
            const auto add = [&](NodeId with) {
                meetings.push_back(receives ? CheckPair{with, n} : CheckPair{n, with});
            };
            if (!own.clean.empty()) add(own.clean.front());
            std::vector<NodeId> others = other.clean;
            if (others.empty()) others = other.suspects;
            for (std::size_t o = 0; o < std::min(others.size(), most_meetings); ++o) {
                add(others[o]);
            }
        }
    };
    meet(a, b);
    meet(b, a);
    std::vector<CheckSeries> rounds;
    add_in_rounds(CheckOf::place, meetings, at_once, rounds);
    for (CheckSeries& round : rounds) {
        round.pairs.insert(round.pairs.begin(), loads.begin(), loads.end());
        plan.series.push_back(std::move(round));
    }
}

void add_places(const Cluster& cluster, const NodePlaces& places, const Suspects& suspects,
                std::uint32_t at_once, CheckPlan& plan) {
    if (suspects.places.empty()) return;
    std::vector<std::string> not_tested;
    std::vector<FilledUplinks> tested;
    for (auto& round : find_filled_uplinks(cluster, places, not_tested)) {
        std::move(round.begin(), round.end(), std::back_inserter(tested));
    }
    std::map<std::uint32_t, std::uint32_t> streams_of;  // by switch
    std::set<Siblings> planned;
    const auto add = [&](FilledUplinks filled) {
        if (filled.a > filled.b) std::swap(filled.a, filled.b);
        if (!planned.emplace(filled.a, filled.b).second) return;
        add_meetings(places, suspects, filled, at_once, plan);
    };
    for (const FilledUplinks& filled : tested) {
        streams_of[filled.a] = streams_of[filled.b] = filled.num_streams;
        add(filled);
    }
    // Suspects of different switches may have been swapped, siblings or not.
    std::set<std::uint32_t> homes;
    for (const NodeId n : suspects.places) homes.insert(places.switch_of(n));
    for (auto a = homes.begin(); a != homes.end(); ++a) {
        for (auto b = std::next(a); b != homes.end(); ++b) {
            add({*a, *b, std::max(streams_of[*a], streams_of[*b])});
        }
    }
}

}  // namespace

CheckPlan plan_second(const Cluster& cluster, const NodePlaces& places, const CheckPlan& first,
                      const Suspects& suspects, std::uint32_t at_once) {
    CheckPlan plan;
    add_ports(places, first, suspects, at_once, plan);
    add_work(places, suspects, at_once, plan);
    add_paths(cluster, places, first, suspects, plan);
    add_places(cluster, places, suspects, at_once, plan);
    return plan;
}

}  // namespace commmap
