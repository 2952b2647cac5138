// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/rank_clusters.hpp"

#include "core/mapping/problem/undirected_graph.hpp"

namespace commmap {

namespace {

class ClusterPlacement {
public:
    ClusterPlacement(std::span<const RankCluster> clusters, const Hct& hct,
                     const PuCounter& counter, const SubtreeShapes& shapes,
                     std::span<PuId> pu_of_rank)
        : clusters_(clusters),
          hct_(hct),
          counter_(counter),
          shapes_(shapes),
          pu_of_rank_(pu_of_rank) {}

    void assign(ElementId element, ClusterId id) {
        element = counter_.next_choice(element);
        const RankCluster& cluster = clusters_[id];
        if (cluster.rank != no_id) {
            pu_of_rank_[cluster.rank] = hct_.element(element).first_pu;
            return;
        }
        std::vector<bool> used(cluster.children.size(), false);
        for (const ElementId child : counter_.children(element)) {
            std::size_t i = 0;
            while (used[i] || clusters_[cluster.children[i]].shape != shapes_.of_element[child])
                ++i;
            used[i] = true;
            assign(child, cluster.children[i]);
        }
    }

private:
    std::span<const RankCluster> clusters_;
    const Hct& hct_;
    const PuCounter& counter_;
    const SubtreeShapes& shapes_;
    std::span<PuId> pu_of_rank_;
};

}  // namespace

ClusterInput::ClusterInput(const MappingProblem& problem)
    : used(used_pus(problem)),
      counter(problem.hct, used),
      shapes(subtree_shapes(problem.hct, counter)),
      graph(undirected_graph(problem.graph)) {}

void place_clusters(std::span<const RankCluster> clusters, const Hct& hct, const PuCounter& counter,
                    const SubtreeShapes& shapes, std::span<PuId> pu_of_rank) {
    ClusterPlacement(clusters, hct, counter, shapes, pu_of_rank)
        .assign(0, static_cast<ClusterId>(clusters.size() - 1));
}

}  // namespace commmap
