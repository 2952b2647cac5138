// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// A smaller graph with the same structure, and the coarse vertex of each finer one.
struct Coarsened {
    CsrGraph graph;
    std::vector<std::uint32_t> coarse_of;  ///< by vertex of the finer graph
};

/// Joins vertices in pairs along heavy edges. If there are labels, joins only vertices with equal
/// labels.
/// Vertices with few neighbours choose first, equal ones in random order. Parallel edges become
/// one. No pair has more than max_size ranks.
/// A vertex stays alone if its neighbours are all taken or too large.
/// If more than a quarter of the vertices stay alone, two of them beside the same vertex are
/// joined, and two without neighbours.
/// Cost: O(edges). Deterministic by the state of `random`.
/// Source: Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular
/// graphs", SIAM J. Sci. Comput. 20(1), 1999, Sec. 3.1 (HEM); two-hop pairs: LaSalle, Karypis et
/// al., "Improving graph partitioning for modern graphs and architectures", IA3 2015.
/// Differs from the paper on two-hop pairs: any two beside the same heaviest neighbour, in one go.
[[nodiscard]] Coarsened coarsen(const CsrGraph& graph, std::uint32_t max_size, Random& random,
                                std::span<const std::uint32_t> labels = {});

/// Does the same twice: up to four vertices are joined.
[[nodiscard]] Coarsened coarsen_twice(const CsrGraph& graph, std::uint32_t max_size,
                                      Random& random);

/// New number of each vertex in the graph of the ranks that are kept; no_id: the vertex is dropped.
/// The highest bit marks a vertex of which only some ranks are kept. For graphs with fewer than
/// 2^31 vertices.
using Kept = std::vector<std::uint32_t>;

/// Coarsens a part of a graph with the same pairs. The kept ranks of a coarse vertex become one
/// vertex.
/// @param part  the finer graph of the ranks kept
/// @param kept  of the finer graph; becomes that of the coarse one
/// Cost: O(vertices of the whole + coarse edges), and O(edges) near vertices of which only some
/// ranks are kept.
[[nodiscard]] Coarsened coarsened_part(const Coarsened& whole, const CsrGraph& part, Kept& kept);

}  // namespace commmap
