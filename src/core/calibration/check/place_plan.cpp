// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/place_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/calibration/check/check_plan.hpp"
#include "core/calibration/check/stream_rate.hpp"
#include "core/calibration/port_kind.hpp"
#include "core/text/one_line.hpp"

namespace commmap {
namespace {

constexpr std::size_t num_turns = 3;
/// A stream more in a full uplink gets at most this share of what it gets inside a switch.
constexpr double most_share = 0.67;

/// The nodes that hang on a switch itself.
std::vector<NodeId> hanging_on(const NodePlaces& places, std::uint32_t s) {
    std::vector<NodeId> nodes;
    for (const NodeId n : places.below(s)) {
        if (places.switch_of(n) == s) nodes.push_back(n);
    }
    return nodes;
}

/// How many streams fill both uplinks, such that one more is clearly slower; nullopt: too many.
std::optional<std::uint32_t> streams_that_fill(const Cluster& cluster, const NodePlaces& places,
                                               std::uint32_t a, std::uint32_t b) {
    double uplink = 0.0;
    double slowest = HUGE_VAL;
    for (const std::uint32_t s : {a, b}) {
        const Port& link = cluster.switches[s].link;
        uplink = std::max({uplink, stream_rate(link.out), stream_rate(link.in)});
        for (const NodeId n : hanging_on(places, s)) {
            const Port& port = cluster.classes[places.class_of(n)].link;
            slowest = std::min({slowest, stream_rate(port.out), stream_rate(port.in)});
        }
    }
    if (!std::isfinite(uplink) || !std::isfinite(slowest)) return std::nullopt;
    for (std::uint32_t count = 1; count <= max_pairs_of_kind; ++count) {
        if (count * slowest >= uplink * 0.99 && uplink <= most_share * (count + 1) * slowest) {
            return count;
        }
    }
    return std::nullopt;
}

/// Streams from each node to the next, and from the last to the first.
std::vector<CheckPair> ring(const std::vector<NodeId>& nodes) {
    std::vector<CheckPair> pairs;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        pairs.push_back({nodes[n], nodes[(n + 1) % nodes.size()]});
    }
    // Two nodes need one stream: it shows either of them.
    if (nodes.size() == 2) pairs.pop_back();
    return pairs;
}

struct Sides {
    std::vector<NodeId> filling;
    std::vector<NodeId> others;
};

Sides sides_of_turn(const std::vector<NodeId>& nodes, std::size_t turn, std::size_t count) {
    Sides sides;
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < count; ++i) chosen.insert((turn * count + i) % nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        (chosen.contains(n) ? sides.filling : sides.others).push_back(nodes[n]);
    }
    return sides;
}

}  // namespace

std::vector<std::vector<FilledUplinks>> find_filled_uplinks(const Cluster& cluster,
                                                            const NodePlaces& places,
                                                            std::vector<std::string>& not_tested) {
    std::vector<std::uint32_t> leaves;
    for (std::uint32_t s = 0; s < cluster.switches.size(); ++s) {
        if (!hanging_on(places, s).empty() && s != 0) leaves.push_back(s);
    }
    std::vector<std::vector<FilledUplinks>> rounds;
    std::set<std::uint32_t> tested;
    std::map<std::uint32_t, std::string> why_not;
    for (const auto& round : sibling_rounds(cluster, leaves)) {
        std::vector<FilledUplinks> filled;
        for (const auto& [a, b] : round) {
            const auto count = streams_that_fill(cluster, places, a, b);
            const auto has = [&](std::uint32_t s) { return hanging_on(places, s).size(); };
            if (!count) {
                why_not[a] = why_not[b] = "a few streams do not fill its uplink";
            } else if (std::min(has(a), has(b)) < *count + std::size_t{2}) {
                why_not[a] = why_not[b] = fmt::format(
                    "the job needs {} nodes on it and on a sibling", *count + std::size_t{2});
            } else {
                filled.push_back({a, b, *count});
                tested.insert({a, b});
            }
        }
        if (!filled.empty()) rounds.push_back(std::move(filled));
    }
    for (const std::uint32_t s : leaves) {
        if (tested.contains(s)) continue;
        const auto why = why_not.find(s);
        not_tested.push_back(fmt::format(
            "whether nodes hang on switch {}: {}", quoted(cluster.switches[s].name),
            why != why_not.end() ? why->second
                                 : std::string("no sibling of it has nodes in the job")));
    }
    return rounds;
}

std::vector<CheckPair> filling(const std::vector<NodeId>& a, const std::vector<NodeId>& b) {
    std::vector<CheckPair> pairs;
    for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
        pairs.push_back({a[n], b[n], no_id, true});
        pairs.push_back({b[n], a[n], no_id, true});
    }
    return pairs;
}

PlacePlan plan_places(const Cluster& cluster, const NodePlaces& places, std::uint32_t at_once) {
    PlacePlan plan;
    for (const auto& round : find_filled_uplinks(cluster, places, plan.not_tested)) {
        for (std::size_t turn = 0; turn < num_turns; ++turn) {
            std::vector<CheckPair> loads;
            std::vector<CheckPair> probes;
            for (const FilledUplinks& filled : round) {
                const Sides a =
                    sides_of_turn(hanging_on(places, filled.a), turn, filled.num_streams);
                const Sides b =
                    sides_of_turn(hanging_on(places, filled.b), turn, filled.num_streams);
                const auto add = [](std::vector<CheckPair>& to,
                                    const std::vector<CheckPair>& more) {
                    to.insert(to.end(), more.begin(), more.end());
                };
                add(loads, filling(a.filling, b.filling));
                add(probes, ring(a.others));
                add(probes, ring(b.others));
            }
            for (std::size_t p = 0; p < probes.size();) {
                CheckSeries& series = plan.series.emplace_back();
                series.of = CheckOf::place;
                series.pairs = loads;
                for (std::uint32_t n = 0; n < at_once && p < probes.size(); ++n, ++p) {
                    series.pairs.push_back(probes[p]);
                }
            }
        }
    }
    return plan;
}

}  // namespace commmap
