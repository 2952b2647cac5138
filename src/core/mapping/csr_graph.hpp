#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/mapping/weighted_graph.hpp"

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
};

}  // namespace commmap
