// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/node_binding.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/cost_order.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/improvement/local_search.hpp"
#include "core/topology/tree_cut.hpp"

namespace commmap {
namespace {

/// Returns the graph of a node's ranks. Vertex 0 stands for all other ranks, and vertex i + 1 for
/// ranks[i].
/// @param vertex_of_rank  scratch: 0 for each rank, before and after
CommGraph graph_inside(const CommGraph& graph, std::span<const RankId> ranks,
                       std::vector<RankId>& vertex_of_rank) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
        vertex_of_rank[ranks[i]] = static_cast<RankId>(i + 1);
    std::vector<Message> messages;
    for (const RankId rank : ranks) {
        const RankId own = vertex_of_rank[rank];
        for (const Traffic& t : graph.sent_by(rank))
            messages.push_back({own, vertex_of_rank[t.peer], t.count, t.bytes});
        for (const Traffic& t : graph.received_by(rank)) {
            if (vertex_of_rank[t.peer] == 0) messages.push_back({0, own, t.count, t.bytes});
        }
    }
    for (const RankId rank : ranks) vertex_of_rank[rank] = 0;
    return {ranks.size() + 1, messages};
}

/// Returns whether the choice among these PUs matters. It does not matter if all have one parent
/// and equal ports.
bool differ(const Hct& hct, std::span<const PuId> pus) {
    const Element& first = hct.element(hct.pu(pus.front()).element);
    return std::any_of(pus.begin(), pus.end(), [&](PuId pu) {
        const Element& element = hct.element(hct.pu(pu).element);
        return element.parent != first.parent || element.port_index != first.port_index;
    });
}

double exact_cost(const CommGraph& graph, const Hct& hct, std::span<const PuId> placement) {
    const auto cost = port_cost(graph, hct, placement);
    assert(cost && "the placement does not fit");
    return cost.value().cost_s;
}

}  // namespace

std::vector<PuId> bind_in_nodes(const CommGraph& graph, const Hct& hct, std::span<const PuId> start,
                                const MapperOptions& options) {
    std::vector<std::vector<RankId>> ranks_of_node(hct.num_nodes());
    for (RankId rank = 0; rank < start.size(); ++rank)
        ranks_of_node[hct.pu(start[rank]).node].push_back(rank);
    const std::uint64_t all_evaluations =
        options.max_evaluations != 0 ? options.max_evaluations : default_binding_evaluations;

    std::vector<PuId> bound(start.begin(), start.end());
    std::vector<RankId> vertex_of_rank(start.size(), 0);
    for (NodeId node = 0; node < ranks_of_node.size(); ++node) {
        const std::vector<RankId>& ranks = ranks_of_node[node];
        std::vector<PuId> pus;
        pus.reserve(ranks.size());
        for (const RankId rank : ranks) pus.push_back(start[rank]);
        if (ranks.size() < 2 || !differ(hct, pus) || options.deadline.passed()) continue;
        const CommGraph inside = graph_inside(graph, ranks, vertex_of_rank);
        const Hct tree = tree_inside_node(hct, node);
        const NodeInfo& info = hct.node(node);
        // The search never moves rank 0, so vertex 0 stays on the PU of the outside (node 1).
        std::vector<PuId> placement{info.num_pus};
        for (const PuId pu : pus) placement.push_back(pu - info.first_pu);
        std::vector<PuId> candidate_pus = placement;
        std::sort(candidate_pus.begin(), candidate_pus.end());
        const std::uint64_t pairs = ranks.size() * (ranks.size() - 1) / 2;
        const std::uint64_t share = std::max<std::uint64_t>(1, all_evaluations / hct.num_nodes());
        placement = refine({inside, tree, candidate_pus, 1},
                           {.seed = options.seed,
                            .max_evaluations = std::min(share, 32 * pairs),
                            .deadline = options.deadline},
                           placement);
        for (std::size_t i = 0; i < ranks.size(); ++i)
            bound[ranks[i]] = info.first_pu + placement[i + 1];
    }
    if (clearly_cheaper(exact_cost(graph, hct, start), exact_cost(graph, hct, bound)))
        bound.assign(start.begin(), start.end());
    return bound;
}

}  // namespace commmap
