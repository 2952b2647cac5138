// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/peer_graph.hpp"

#include <cstddef>
#include <limits>
#include <string>

#include "input_error.hpp"

namespace commmap::peers {

PeerGraph to_peer_graph(const bench::Graph& graph) {
    constexpr std::size_t most_edges = std::numeric_limits<std::int32_t>::max() / 2;
    if (graph.num_edges() > most_edges)
        throw bench::InputError(std::to_string(graph.num_edges()) + " edges are more than the " +
                                std::to_string(most_edges) + " of 32-bit indices");
    PeerGraph copy;
    copy.first.reserve(std::size_t{graph.num_ranks()} + 1);
    copy.neighbours.reserve(2 * graph.num_edges());
    copy.weights.reserve(2 * graph.num_edges());
    for (std::uint32_t rank = 0; rank < graph.num_ranks(); ++rank) {
        for (const bench::Neighbour& to : graph.neighbours(rank)) {
            copy.neighbours.push_back(static_cast<std::int32_t>(to.rank));
            copy.weights.push_back(to.weight);
        }
        copy.first.push_back(static_cast<std::int32_t>(copy.weights.size()));
    }
    return copy;
}

}  // namespace commmap::peers
