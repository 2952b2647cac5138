// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "commmap/ids.hpp"
#include "commmap/weighted_graph.hpp"
#include "core/profile/comm_graph.hpp"

namespace commmap {

/// Makes an undirected graph of the messages between ranks. It has one edge for each two ranks of
/// which one sends to the other.
///
/// @param directed   has num_ranks(), and sent_by(rank) and received_by(rank), both sorted by peer
/// @param amount_of  gives a number for an entry of these lists; the amounts of a pair are added up
/// @param weight_of  gives the weight of an edge for such a sum
/// @return  rows sorted by neighbour; edges of weight 0 are kept
/// Cost: O(entries).
template <class Directed, class AmountOf, class WeightOf>
[[nodiscard]] WeightedGraph undirected_graph(const Directed& directed, const AmountOf& amount_of,
                                             const WeightOf& weight_of) {
    WeightedGraph graph;
    graph.first.reserve(directed.num_ranks() + 1);
    for (RankId rank = 0; rank < directed.num_ranks(); ++rank) {
        // Both lists are sorted by peer: merge them.
        const auto sent = directed.sent_by(rank);
        const auto received = directed.received_by(rank);
        std::size_t s = 0;
        std::size_t r = 0;
        while (s < sent.size() || r < received.size()) {
            RankId peer = no_id;
            if (s < sent.size()) peer = sent[s].peer;
            if (r < received.size()) peer = std::min(peer, received[r].peer);
            decltype(amount_of(sent[s])) amount{};
            for (; s < sent.size() && sent[s].peer == peer; ++s) amount += amount_of(sent[s]);
            for (; r < received.size() && received[r].peer == peer; ++r)
                amount += amount_of(received[r]);
            graph.neighbours.push_back(peer);
            graph.weights.push_back(weight_of(amount));
        }
        graph.first.push_back(graph.neighbours.size());
    }
    return graph;
}

/// Makes an undirected graph of a communication graph. An edge weighs the bytes both ways. A pair
/// that exchanges only empty messages has an edge of weight 0.
[[nodiscard]] WeightedGraph undirected_graph(const CommGraph& graph);

}  // namespace commmap
