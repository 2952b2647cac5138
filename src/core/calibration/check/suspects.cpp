// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/suspects.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace commmap {
namespace {

void suspect_streams(const CheckPlan& plan, const CheckValues& values, const References& references,
                     Suspects& suspects) {
    std::set<PortEnd> fast;
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        if (plan.series[s].of != CheckOf::ports) continue;
        for (std::size_t p = 0; p < plan.series[s].pairs.size(); ++p) {
            const auto& [sender, receiver, path, load] = plan.series[s].pairs[p];
            const auto value = values.fastest(s, p);
            const auto reference = references.of_stream(sender, receiver);
            if (!value || !reference) continue;
            auto& ends = *value < least_share * reference->value ? suspects.ports : fast;
            ends.insert({{sender, true}, {receiver, false}});
        }
    }
    for (const PortEnd& end : fast) suspects.ports.erase(end);
}

void suspect_uplinks(const CheckPlan& plan, const CheckValues& values, const References& references,
                     Suspects& suspects) {
    std::set<UplinkEnd> fast;
    for (std::uint32_t p = 0; p < plan.paths.size(); ++p) {
        const UplinkPath& path = plan.paths[p];
        const auto value = values.of_path(p);
        const auto reference = references.of_path(path);
        if (!value || !reference) continue;
        auto& ends = *value < least_share * reference->value ? suspects.uplinks : fast;
        ends.insert({{path.from, true}, {path.to, false}});
    }
    for (const UplinkEnd& end : fast) suspects.uplinks.erase(end);
}

void suspect_work(const CheckPlan& plan, const CheckValues& values, const References& references,
                  Suspects& suspects) {
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        if (plan.series[s].of != CheckOf::work) continue;
        for (std::size_t p = 0; p < plan.series[s].pairs.size(); ++p) {
            const NodeId node = plan.series[s].pairs[p].sender;
            const auto seconds = values.fastest(s, p);
            const auto reference = references.of_work(node);
            if (!seconds || !reference) continue;
            const double speed = reference->value / *seconds;
            if (speed < least_share || speed > most_speed) suspects.work.insert(node);
        }
    }
}

/// Finds few nodes that explain all slow streams: again and again the one with the most of them.
/// Nodes that explain the same streams equally well are all suspects.
std::set<NodeId> nodes_in_all(std::vector<std::pair<NodeId, NodeId>> slow) {
    std::set<NodeId> chosen;
    while (!slow.empty()) {
        std::map<NodeId, std::set<NodeId>> partners;
        for (const auto& [a, b] : slow) {
            partners[a].insert(b);
            partners[b].insert(a);
        }
        std::size_t most = 0;
        NodeId worst = 0;
        for (const auto& [node, others] : partners) {
            if (others.size() > most) {
                most = others.size();
                worst = node;
            }
        }
        std::set<NodeId> now{worst};
        for (const NodeId other : partners[worst]) {
            if (partners[other].size() == most) now.insert(other);
        }
        std::erase_if(slow, [&](const auto& pair) {
            return now.contains(pair.first) || now.contains(pair.second);
        });
        chosen.merge(now);
    }
    return chosen;
}

/// Streams are compared with others of their kind: the ports of a node that hangs elsewhere were
/// measured across uplinks, which others may have used at the same time.
void suspect_places(const CheckPlan& plan, const CheckValues& values, const References& references,
                    Suspects& suspects) {
    std::vector<std::pair<NodeId, NodeId>> slow;
    for (std::size_t s = 0; s < plan.series.size(); ++s) {
        if (plan.series[s].of != CheckOf::place) continue;
        for (std::size_t p = 0; p < plan.series[s].pairs.size(); ++p) {
            const CheckPair& pair = plan.series[s].pairs[p];
            if (pair.load) continue;
            const auto value = values.middle(s, p);
            const auto alone = references.of_stream(pair.sender, pair.receiver);
            if (value && alone && *value < least_share_inside * alone->value) {
                slow.emplace_back(pair.sender, pair.receiver);
            }
        }
    }
    suspects.places = nodes_in_all(std::move(slow));
}

}  // namespace

Suspects find_suspects(const CheckPlan& plan, const CheckValues& values,
                       const References& references) {
    Suspects suspects;
    suspect_streams(plan, values, references, suspects);
    suspect_work(plan, values, references, suspects);
    suspect_uplinks(plan, values, references, suspects);
    suspect_places(plan, values, references, suspects);
    return suspects;
}

}  // namespace commmap
