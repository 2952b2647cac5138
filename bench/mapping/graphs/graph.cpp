// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/graph.hpp"

#include <algorithm>
#include <utility>

namespace commmap::bench {
namespace {

/// Sorts the neighbours of each rank, adds up repeats, closes the gaps that they leave.
void merge_parallel_edges(std::vector<std::size_t>& first, std::vector<Neighbour>& neighbours) {
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t rank = 0; rank + 1 < first.size(); ++rank) {
        const std::size_t end = first[rank + 1];
        const auto at = [&](std::size_t i) {
            return neighbours.begin() + static_cast<std::ptrdiff_t>(i);
        };
        std::sort(at(begin), at(end),
                  [](const Neighbour& a, const Neighbour& b) { return a.rank < b.rank; });
        const std::size_t row = kept;
        for (std::size_t i = begin; i < end; ++i) {
            if (kept > row && neighbours[kept - 1].rank == neighbours[i].rank)
                neighbours[kept - 1].weight += neighbours[i].weight;
            else
                neighbours[kept++] = neighbours[i];
        }
        begin = end;
        first[rank + 1] = kept;
    }
    neighbours.resize(kept);
}

}  // namespace

Graph::Graph(std::vector<std::size_t> first, std::vector<Neighbour> neighbours)
    : first_(std::move(first)), neighbours_(std::move(neighbours)) {}

Graph graph_from_edges(std::uint32_t ranks, std::span<const Edge> edges) {
    std::vector<std::size_t> first(std::size_t{ranks} + 1, 0);
    for (const Edge& edge : edges) {
        ++first[edge.from + 1];
        ++first[edge.to + 1];
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) first[rank + 1] += first[rank];
    std::vector<Neighbour> neighbours(2 * edges.size());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (const Edge& edge : edges) {
        neighbours[next[edge.from]++] = {edge.weight, edge.to};
        neighbours[next[edge.to]++] = {edge.weight, edge.from};
    }
    merge_parallel_edges(first, neighbours);
    return {std::move(first), std::move(neighbours)};
}

}  // namespace commmap::bench
