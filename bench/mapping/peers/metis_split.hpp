// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "peers/peer_graph.hpp"

namespace commmap::peers {

enum class MetisForm {
    recursive,  ///< METIS_PartGraphRecursive as it comes
    strong,     ///< the same with imbalance 0.1 %, the best of 8 cuts and 20 passes of refinement
    kway        ///< METIS_PartGraphKway as it comes: imbalance 3 %
};

/// Splits a graph with METIS into parts of exactly the given sizes, with little weight between
/// them.
///
/// @param sizes  vertices wanted in each part, all > 0; their sum is the number of vertices
/// @return       part of each vertex; what METIS is off is repaired (repair_sizes)
/// Weights are scaled down to a sum of 2^30 for METIS's 32-bit integers; those above 0 stay above.
/// Graphs without edges and parts of one vertex each are filled in order: METIS is not for them.
/// Errors: std::runtime_error when METIS says no.
/// Cost: O(edges * log parts). One call at a time in the process: METIS 5.1 reseeds rand().
/// Source: Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular
/// graphs", SIAM J. Sci. Comput. 20(1), 1999; METIS 5.1.0.
[[nodiscard]] std::vector<std::int32_t> metis_split(const PeerGraph& graph,
                                                    std::span<const std::int32_t> sizes,
                                                    MetisForm form, std::uint64_t seed);

}  // namespace commmap::peers
