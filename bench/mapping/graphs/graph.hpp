// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace commmap::bench {

constexpr std::uint32_t max_ranks = 1U << 27U;
constexpr std::uint64_t max_edge_weight = std::uint64_t{1} << 63U;

struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t weight = 0;
};

struct Neighbour {
    std::uint64_t weight = 0;
    std::uint32_t rank = 0;
};

/// Who exchanges how much with whom: undirected, each edge at both of its ends with the same
/// weight, the neighbours of a rank in ascending order and without repeats, no edge to itself.
class Graph {
public:
    /// @param first       length ranks + 1: where the neighbours of a rank begin
    /// @param neighbours  of all ranks, in the order of the ranks, as the class says
    Graph(std::vector<std::size_t> first, std::vector<Neighbour> neighbours);

    [[nodiscard]] std::uint32_t num_ranks() const {
        return static_cast<std::uint32_t>(first_.size() - 1);
    }
    [[nodiscard]] std::size_t num_edges() const { return neighbours_.size() / 2; }
    [[nodiscard]] std::span<const Neighbour> neighbours(std::uint32_t rank) const {
        return {neighbours_.data() + first_[rank], neighbours_.data() + first_[rank + 1]};
    }

private:
    std::vector<std::size_t> first_;
    std::vector<Neighbour> neighbours_;
};

/// The graph of edges that stand in `edges` once each, in any order and direction. The weights of
/// parallel edges are added up. @pre no edge from a rank to itself, sums up to max_edge_weight
/// Cost: O(ranks + edges * log(edges of a rank)); 32 bytes an edge beside `edges`.
[[nodiscard]] Graph graph_from_edges(std::uint32_t ranks, std::span<const Edge> edges);

}  // namespace commmap::bench
