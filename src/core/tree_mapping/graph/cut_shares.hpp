// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap {

/// Edges that are cut between the parts of a graph: their number and their weight.
struct CutShares {
    double edges = 0.0;        ///< share of all edges
    double weight = 0.0;       ///< share of the weight of all edges
    double cut = 0.0;          ///< weight of the edges that are cut
    double mean_weight = 0.0;  ///< of an edge that is cut; 0: no edge is cut

    /// Returns whether the graph has no good cuts, if a quick search found the parts.
    /// A first bisection cuts 1 to 7 % of the edges of meshes, and 16 to 43 % of those of random
    /// graphs (2,500 vertices).
    /// Both shares count: a mesh with a light all-to-all on top has good cuts.
    [[nodiscard]] bool are_large(std::size_t num_parts) const;
};

/// @param part_of  by vertex; two parts at least
/// Cost: O(edges).
[[nodiscard]] CutShares cut_shares(const CsrGraph& graph, std::span<const std::uint32_t> part_of);
[[nodiscard]] CutShares cut_shares(const CsrGraph& graph, std::span<const std::uint8_t> side_of);

}  // namespace commmap
