// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/weighted_graph.hpp"

namespace commmap {

/// Khoroshevsky's task graph G_i: a vertex stands for one process or several.
struct TaskGraph {
    WeightedGraph edges;                   ///< d: bytes both ways
    std::vector<std::uint32_t> processes;  ///< of each vertex, > 0
    [[nodiscard]] std::size_t num_vertices() const { return processes.size(); }
};

/// G_i+1, and which of its vertices each vertex of G_i went into.
struct CoarseTaskGraph {
    TaskGraph graph;
    std::vector<std::uint32_t> coarse_of;
};

/// CoarseGraph of the TMMGP: heavy edge matching. Each vertex in turn is joined with the neighbour
/// that has no partner yet and the heaviest edge to it (ties: the lowest), or stays alone.
///
/// @param order           all vertices, in the order of their turns
/// @param most_processes  in a joined vertex
/// @return  coarse vertices in the order in which they were made; rows sorted by neighbour
/// Cost: O(edges log edges of a vertex).
/// Source: Karypis, Kumar, "Multilevel k-way partitioning scheme for irregular graphs", Journal of
/// Parallel and Distributed Computing 48, 1998, Sec. 3.1 (HEM), which Khoroshevsky, Kurnosov,
/// ICSOFT 2009, Sec. 4.2, name.
[[nodiscard]] CoarseTaskGraph heavy_edge_matching(const TaskGraph& graph,
                                                  std::span<const std::uint32_t> order,
                                                  std::uint32_t most_processes);

}  // namespace commmap
