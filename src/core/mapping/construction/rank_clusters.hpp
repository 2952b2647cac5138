#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mapping/construction/subtree_shapes.hpp"

namespace commmap {

using ClusterId = std::uint32_t;

/// Ranks that go below one element: a single rank, or clusters one level down.
struct RankCluster {
    ShapeId shape = 0;                ///< of the elements that can hold it
    RankId rank = no_id;              ///< of a cluster of shape 0
    std::vector<ClusterId> children;  ///< in the order in which they were made
    bool taken = false;               ///< part of a larger cluster
};

/// The second pass of Sweeney's Fig. 3: the cluster on the element, its children on the element's
/// children. Each child element takes the first cluster of its shape that is left.
///
/// @param clusters    children before parents; the last one holds all ranks
/// @param candidate_pus       as many as ranks
/// @param pu_of_rank  length = ranks; all of it is written
/// Cost: O(elements + ranks * children of an element).
void place_clusters(std::span<const RankCluster> clusters, const Hct& hct, const PuCounter& counter,
                    const SubtreeShapes& shapes, std::span<PuId> pu_of_rank);

}  // namespace commmap
