#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "commmap/weighted_graph.hpp"

namespace commmap {

/// The graph that the engine works on: a WeightedGraph in two thirds of the memory, whose vertices
/// may stand for several ranks.
///
/// Weights are whole numbers, scaled down where need be so that what all edges together cost at the
/// largest distance stays below 2^53: sums of weight times distance are exact in doubles, and a
/// search that goes down by them ends. An edge that is less than half of 1 then is left out. What a
/// placement costs in the end is summed over the WeightedGraph.
struct CsrGraph {
    std::vector<std::uint32_t> first{0};  ///< num_vertices() + 1
    std::vector<std::uint32_t> neighbours;
    std::vector<float> weights;
    std::vector<std::uint32_t> sizes;  ///< ranks in each vertex

    CsrGraph() = default;
    /// Each vertex one rank. Edges of weight 0 are left out. Cost: O(edges).
    /// @param farthest  the largest distance that weights are multiplied with
    /// @pre fewer than 2^32 ends of edges
    explicit CsrGraph(const WeightedGraph& graph, double farthest = 1.0);

    [[nodiscard]] std::uint32_t num_vertices() const {
        return static_cast<std::uint32_t>(first.size() - 1);
    }
    /// In all vertices. Cost: O(vertices).
    [[nodiscard]] std::uint64_t num_ranks() const {
        return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    }
    [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::uint32_t v) const {
        return {neighbours.data() + first[v], first[v + 1] - first[v]};
    }
    [[nodiscard]] std::span<const float> weights_of(std::uint32_t v) const {
        return {weights.data() + first[v], first[v + 1] - first[v]};
    }
    /// Of all its edges. Cost: O(neighbours).
    [[nodiscard]] double weight_of(std::uint32_t v) const {
        const std::span<const float> row = weights_of(v);
        return std::accumulate(row.begin(), row.end(), 0.0);
    }
};

/// Few vertices with very many neighbours: pairs are not what such a graph is made of, and cuts of
/// half the weight are found when it is split as it is (R-MAT with 1,024 and 4,096 vertices).
/// Cost: O(vertices).
[[nodiscard]] bool has_hubs(const CsrGraph& graph);

/// Whether a vertex's neighbours have on average more than three times as many neighbours as a
/// vertex has, among vertices with neighbours: a few vertices have many of the edges. Power laws
/// with exponents up to 2.5 or so are such graphs, and a longer search still finds less there.
/// Cost: O(vertices).
/// Source: Feld, "Why your friends have more friends than you do", American Journal of Sociology
/// 96, 1991.
[[nodiscard]] bool is_hard(const CsrGraph& graph);

/// All vertices, each followed by its neighbours: what is read together lies together. Cost:
/// O(edges).
[[nodiscard]] std::vector<std::uint32_t> breadth_first_order(const CsrGraph& graph);

/// The graph of some vertices, in that order: edges to others are left out. Cost: O(their edges).
/// @param vertices  each once
/// @param number    by vertex of the graph no_id, and so again at the end
[[nodiscard]] CsrGraph graph_of(const CsrGraph& graph, std::span<const std::uint32_t> vertices,
                                std::span<std::uint32_t> number);

/// The side, 0 or 1, of each vertex.
using Sides = std::vector<std::uint8_t>;

/// By vertex, its number among those on one side, in order; no_id: it is on the other.
[[nodiscard]] std::vector<std::uint32_t> numbers_on_side(std::span<const std::uint8_t> sides,
                                                         std::uint8_t side);

/// The graph of the vertices on one side, in order. Cost: O(vertices + their edges).
[[nodiscard]] CsrGraph graph_of_side(const CsrGraph& graph, std::span<const std::uint8_t> sides,
                                     std::uint8_t side);

}  // namespace commmap
