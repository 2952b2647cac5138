// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "graphs/graph.hpp"

namespace commmap::peers {

/// A communication graph in the arrays that METIS takes: each edge stands at both ends with the
/// same weight.
struct PeerGraph {
    std::vector<std::int32_t> first{0};    ///< num_ranks() + 1
    std::vector<std::int32_t> neighbours;  ///< from 0
    std::vector<std::uint64_t> weights;    ///< of the edge to the neighbour of the same index
    [[nodiscard]] std::int32_t num_ranks() const {
        return static_cast<std::int32_t>(first.size()) - 1;
    }
};

/// The same graph. Throws InputError when it is too large for 32-bit indices.
/// Cost: O(ranks + edges); 24 bytes an edge beside `graph`.
[[nodiscard]] PeerGraph to_peer_graph(const bench::Graph& graph);

}  // namespace commmap::peers
