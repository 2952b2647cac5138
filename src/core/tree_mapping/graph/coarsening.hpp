#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// A smaller graph with the same structure, and which of its vertices each of the finer ones is in.
struct Coarsened {
    CsrGraph graph;
    std::vector<std::uint32_t> coarse_of;  ///< by vertex of the finer graph
};

/// Joins vertices in pairs along heavy edges, only those with equal labels where there are any;
/// vertices with few neighbours choose first, equal ones in random order. Parallel edges become
/// one. No pair has more than max_size ranks. Vertices whose neighbours are all taken or too large
/// stay alone; where these are more than a quarter, two beside the same vertex are joined, and two
/// without neighbours. Cost: O(edges). Deterministic by the state of `random`.
/// Source: Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular
/// graphs", SIAM J. Sci. Comput. 20(1), 1999, Sec. 3.1 (HEM); two-hop pairs: LaSalle, Karypis et
/// al., "Improving graph partitioning for modern graphs and architectures", IA3 2015.
/// Differs from the paper on two-hop pairs: any two beside the same heaviest neighbour, in one go.
[[nodiscard]] Coarsened coarsen(const CsrGraph& graph, std::uint32_t max_size, Random& random,
                                std::span<const std::uint32_t> labels = {});

/// The same twice over: up to four vertices are joined.
[[nodiscard]] Coarsened coarsen_twice(const CsrGraph& graph, std::uint32_t max_size,
                                      Random& random);

/// By vertex of a graph, its number among those of which ranks are kept; no_id: none are. The
/// highest bit is set where only some are. Of fewer than 2^31 vertices.
using Kept = std::vector<std::uint32_t>;

/// The same pairs among some of the ranks: what is left of each coarse vertex is one vertex.
/// @param part  the finer graph of the ranks kept
/// @param kept  of the finer graph; becomes that of the coarse one
/// Cost: O(vertices of the whole + coarse edges), and O(edges) near what is kept only in part.
[[nodiscard]] Coarsened coarsened_part(const Coarsened& whole, const CsrGraph& part, Kept& kept);

}  // namespace commmap
