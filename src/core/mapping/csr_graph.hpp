#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mapping/weighted_graph.hpp"

namespace commmap {

/// The graph that the engine works on: a WeightedGraph in half of the memory, whose vertices may
/// stand for several ranks. Weights have 24 bits, whatever their magnitude: enough to choose by;
/// what a placement costs in the end is summed over the WeightedGraph.
struct CsrGraph {
    std::vector<std::uint32_t> first{0};  ///< num_vertices() + 1
    std::vector<std::uint32_t> neighbours;
    std::vector<float> weights;
    std::vector<std::uint32_t> sizes;  ///< ranks in each vertex

    CsrGraph() = default;
    /// Each vertex one rank. Edges of weight 0 are left out. Cost: O(edges).
    /// @pre fewer than 2^32 ends of edges
    explicit CsrGraph(const WeightedGraph& graph);

    [[nodiscard]] std::uint32_t num_vertices() const {
        return static_cast<std::uint32_t>(first.size() - 1);
    }
    [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::uint32_t v) const {
        return {neighbours.data() + first[v], first[v + 1] - first[v]};
    }
    [[nodiscard]] std::span<const float> weights_of(std::uint32_t v) const {
        return {weights.data() + first[v], first[v + 1] - first[v]};
    }
};

}  // namespace commmap
