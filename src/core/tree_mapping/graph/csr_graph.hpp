// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "commmap/weighted_graph.hpp"

namespace commmap {

/// The graph on which the engine works: a WeightedGraph in two thirds of the memory, whose vertices
/// may stand for several ranks.
///
/// Weights are whole numbers. They are scaled down if needed, so that the cost of all edges at the
/// largest distance stays below 2^53.
/// So sums of weight times distance are exact in doubles, and a search that lowers such sums ends.
/// An edge whose scaled weight is less than half of 1 is left out. The final cost of a placement is
/// summed over the WeightedGraph.
struct CsrGraph {
    std::vector<std::uint32_t> first{0};  ///< length num_vertices() + 1
    std::vector<std::uint32_t> neighbours;
    std::vector<float> weights;
    std::vector<std::uint32_t> sizes;  ///< ranks in each vertex

    CsrGraph() = default;
    /// Makes each rank one vertex. Leaves out edges of weight 0.
    /// @param farthest  the largest distance with which weights are multiplied
    /// @pre fewer than 2^32 ends of edges
    /// Cost: O(edges).
    explicit CsrGraph(const WeightedGraph& graph, double farthest = 1.0);

    [[nodiscard]] std::uint32_t num_vertices() const {
        return static_cast<std::uint32_t>(first.size() - 1);
    }
    /// Returns the ranks in all vertices. Cost: O(vertices).
    [[nodiscard]] std::uint64_t num_ranks() const {
        return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    }
    [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::uint32_t v) const {
        return {neighbours.data() + first[v], first[v + 1] - first[v]};
    }
    [[nodiscard]] std::span<const float> weights_of(std::uint32_t v) const {
        return {weights.data() + first[v], first[v + 1] - first[v]};
    }
    /// Returns the weight of a vertex's edges. Cost: O(neighbours).
    [[nodiscard]] double weight_of(std::uint32_t v) const {
        const std::span<const float> row = weights_of(v);
        return std::accumulate(row.begin(), row.end(), 0.0);
    }
};

/// Returns whether a few vertices have very many neighbours. Pairs do not fit the structure of such
/// a graph.
/// A split of the graph as it is finds cuts of half the weight (R-MAT with 1,024 and 4,096
/// vertices).
/// Cost: O(vertices).
[[nodiscard]] bool has_hubs(const CsrGraph& graph);

/// Returns whether a vertex's neighbours have on average more than three times as many neighbours
/// as a vertex has.
/// Only vertices with neighbours count. In such a graph a few vertices have many of the edges.
/// Power laws with exponents up to 2.5 or so are such graphs, and a longer search still finds less
/// there.
/// Cost: O(vertices).
/// Source: Feld, "Why your friends have more friends than you do", American Journal of Sociology
/// 96, 1991.
[[nodiscard]] bool is_hard(const CsrGraph& graph);

/// Returns all vertices, each followed by its neighbours, so that vertices that are read together
/// lie together.
/// Cost: O(edges).
[[nodiscard]] std::vector<std::uint32_t> breadth_first_order(const CsrGraph& graph);

/// Returns the graph of some vertices, in that order. Edges to other vertices are left out.
/// @param vertices  each once
/// @param number    scratch by vertex of the graph: no_id before and after the call
/// Cost: O(their edges).
[[nodiscard]] CsrGraph graph_of(const CsrGraph& graph, std::span<const std::uint32_t> vertices,
                                std::span<std::uint32_t> number);

/// The side, 0 or 1, of each vertex.
using Sides = std::vector<std::uint8_t>;

/// Returns by vertex its number among the vertices on one side, in order; no_id: the vertex is on
/// the other side.
[[nodiscard]] std::vector<std::uint32_t> numbers_on_side(std::span<const std::uint8_t> sides,
                                                         std::uint8_t side);

/// Returns the graph of the vertices on one side, in order. Cost: O(vertices + their edges).
[[nodiscard]] CsrGraph graph_of_side(const CsrGraph& graph, std::span<const std::uint8_t> sides,
                                     std::uint8_t side);

}  // namespace commmap
