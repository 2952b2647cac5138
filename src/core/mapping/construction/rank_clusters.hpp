// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commmap/weighted_graph.hpp"
#include "core/mapping/construction/subtree_shapes.hpp"
#include "core/mapping/problem/candidate_pus.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

using ClusterId = std::uint32_t;

/// Ranks that go below one element: a single rank, or a list of smaller clusters.
struct RankCluster {
    ShapeId shape = 0;                ///< of the elements that can hold it
    RankId rank = no_id;              ///< the rank, in a cluster of shape 0 (a PU)
    std::vector<ClusterId> children;  ///< in the order in which they were made
    bool taken = false;               ///< it is part of a larger cluster
};

/// What clusters are made of: the PUs that get ranks, the shapes of their tree, and the graph of
/// the ranks.
struct ClusterInput {
    /// @param problem  must outlive the input
    explicit ClusterInput(const MappingProblem& problem);
    ClusterInput(const ClusterInput&) = delete;
    ClusterInput& operator=(const ClusterInput&) = delete;

    std::vector<PuId> used;  ///< used_pus()
    PuCounter counter;       ///< counts `used`
    SubtreeShapes shapes;
    WeightedGraph graph;
};

/// Places clusters on the tree: the second pass of Sweeney's Fig. 3. A cluster's children go to the
/// children of its element. Each child element takes the first remaining cluster of its own shape.
///
/// @param clusters    children before parents; the last one holds all ranks
/// @param hct, counter, shapes  the tree, its candidate PUs (as many as ranks) and their shapes
/// @param pu_of_rank  output; length = number of ranks, all entries are written
/// Cost: O(elements + ranks * children of an element).
void place_clusters(std::span<const RankCluster> clusters, const Hct& hct, const PuCounter& counter,
                    const SubtreeShapes& shapes, std::span<PuId> pu_of_rank);

}  // namespace commmap
