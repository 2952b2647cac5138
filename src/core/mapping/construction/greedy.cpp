// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/greedy.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "core/mapping/construction/rank_clusters.hpp"
#include "core/mapping/construction/subtree_shapes.hpp"
#include "core/mapping/problem/rank0.hpp"

namespace commmap {

namespace {

/// The first pass: makes clusters, from single ranks up to one cluster of all ranks.
class Grouping {
public:
    Grouping(const WeightedGraph& graph, const SubtreeShapes& shapes)
        : graph_(graph), shapes_(shapes) {
        cluster_of_rank_.resize(graph.num_vertices());
        for (RankId r = 0; r < graph.num_vertices(); ++r) {
            clusters_.push_back({0, r, {}, false});
            cluster_of_rank_[r] = r;
        }
    }

    std::vector<RankCluster> run() {
        std::uint32_t highest = 0;
        for (const SubtreeShape& shape : shapes_.all) highest = std::max(highest, shape.height);
        for (std::uint32_t height = 1; height <= highest; ++height) make_level(height);
        return std::move(clusters_);
    }

private:
    struct Pair {
        ClusterId a;
        ClusterId b;
        std::uint64_t bytes;
    };
    struct Neighbour {
        ClusterId cluster;
        std::uint64_t bytes;
    };
    struct Group {
        ShapeId shape;
        std::map<ShapeId, std::uint32_t> wanted;
        std::vector<ClusterId> members;
        [[nodiscard]] bool wants(ShapeId child) const {
            const auto it = wanted.find(child);
            return it != wanted.end() && it->second > 0;
        }
    };

    void make_level(std::uint32_t height) {
        find_pairs();
        std::vector<std::pair<ShapeId, std::uint32_t>> missing;  // shape, number of groups to begin
        for (ShapeId s = 0; s < shapes_.all.size(); ++s) {
            if (shapes_.all[s].height == height)
                missing.push_back({s, shapes_.all[s].num_elements});
        }
        std::stable_sort(missing.begin(), missing.end(), [this](const auto& x, const auto& y) {
            return shapes_.all[x.first].num_pus > shapes_.all[y.first].num_pus;
        });

        std::vector<Group> groups;
        for (const Pair& pair : pairs_) {
            if (clusters_[pair.a].taken || clusters_[pair.b].taken) continue;
            for (auto& [shape, count] : missing) {
                if (count == 0) continue;
                Group group = empty_group(shape);
                if (!take(group, pair.a)) continue;
                if (!take(group, pair.b)) {  // this shape has no room for both: give `a` back
                    clusters_[pair.a].taken = false;
                    continue;
                }
                --count;
                grow(group);
                groups.push_back(std::move(group));
                break;
            }
        }
        for (const auto& [shape, count] : missing) {
            for (std::uint32_t i = 0; i < count; ++i) groups.push_back(empty_group(shape));
        }
        fill_with_oldest(groups);
        for (Group& group : groups) close(group);
    }

    [[nodiscard]] Group empty_group(ShapeId shape) const {
        Group group{shape, {}, {}};
        for (const ShapeId child : shapes_.all[shape].children) ++group.wanted[child];
        return group;
    }

    bool take(Group& group, ClusterId cluster) {
        const ShapeId shape = clusters_[cluster].shape;
        if (!group.wants(shape)) return false;
        --group.wanted[shape];
        group.members.push_back(cluster);
        clusters_[cluster].taken = true;
        return true;
    }

    void grow(Group& group) {
        std::vector<ClusterId> seen;
        std::size_t added = 0;
        while (group.members.size() < shapes_.all[group.shape].children.size()) {
            for (; added < group.members.size(); ++added) {
                const ClusterId member = group.members[added];
                for (std::size_t i = first_neighbour_[member]; i < first_neighbour_[member + 1];
                     ++i) {
                    const Neighbour& n = neighbours_[i];
                    if (attraction_[n.cluster] == 0) seen.push_back(n.cluster);
                    attraction_[n.cluster] += n.bytes;
                }
            }
            ClusterId best = no_id;
            for (const ClusterId c : seen) {
                if (clusters_[c].taken || !group.wants(clusters_[c].shape)) continue;
                if (best == no_id || attraction_[c] > attraction_[best] ||
                    (attraction_[c] == attraction_[best] && c < best)) {
                    best = c;
                }
            }
            if (best == no_id) break;
            take(group, best);
        }
        for (const ClusterId c : seen) attraction_[c] = 0;
    }

    void fill_with_oldest(std::vector<Group>& groups) {
        std::map<ShapeId, std::vector<ClusterId>> free;
        for (auto c = static_cast<ClusterId>(clusters_.size()); c-- > 0;) {
            if (!clusters_[c].taken) free[clusters_[c].shape].push_back(c);  // the oldest last
        }
        for (Group& group : groups) {
            for (const auto& [shape, count] : std::map(group.wanted)) {
                for (std::uint32_t i = 0; i < count; ++i) {
                    std::vector<ClusterId>& candidates = free[shape];
                    assert(!candidates.empty() && "shapes and clusters do not add up");
                    take(group, candidates.back());
                    candidates.pop_back();
                }
            }
        }
    }

    void close(Group& group) {
        const auto id = static_cast<ClusterId>(clusters_.size());
        std::sort(group.members.begin(), group.members.end());
        for (const ClusterId member : group.members) now_in_[member] = id;
        clusters_.push_back({group.shape, no_id, std::move(group.members), false});
    }

    /// Lists the pairs of clusters that exchange bytes and are not part of a larger cluster, the
    /// heaviest pair first.
    void find_pairs() {
        now_in_.resize(clusters_.size(), no_id);
        for (ClusterId& c : cluster_of_rank_) {
            while (now_in_[c] != no_id) c = now_in_[c];
        }
        pairs_.clear();
        for (RankId r = 0; r < graph_.num_vertices(); ++r) {
            for (std::size_t i = graph_.first[r]; i < graph_.first[r + 1]; ++i) {
                const RankId peer = graph_.neighbours[i];
                const ClusterId a = cluster_of_rank_[r];
                const ClusterId b = cluster_of_rank_[peer];
                if (r < peer && a != b) {
                    pairs_.push_back({std::min(a, b), std::max(a, b), graph_.weights[i]});
                }
            }
        }
        const auto by_clusters = [](const Pair& x, const Pair& y) {
            return x.a != y.a ? x.a < y.a : x.b < y.b;
        };
        std::sort(pairs_.begin(), pairs_.end(), by_clusters);
        std::size_t end = 0;
        for (const Pair& pair : pairs_) {
            if (end > 0 && pairs_[end - 1].a == pair.a && pairs_[end - 1].b == pair.b) {
                pairs_[end - 1].bytes += pair.bytes;
            } else {
                pairs_[end++] = pair;
            }
        }
        pairs_.resize(end);
        std::erase_if(pairs_, [](const Pair& pair) { return pair.bytes == 0; });
        find_neighbours();
        std::stable_sort(pairs_.begin(), pairs_.end(),
                         [](const Pair& x, const Pair& y) { return x.bytes > y.bytes; });
    }

    void find_neighbours() {
        first_neighbour_.assign(clusters_.size() + 1, 0);
        attraction_.assign(clusters_.size(), 0);
        for (const Pair& pair : pairs_) {
            ++first_neighbour_[pair.a + 1];
            ++first_neighbour_[pair.b + 1];
        }
        for (std::size_t c = 0; c < clusters_.size(); ++c) {
            first_neighbour_[c + 1] += first_neighbour_[c];
        }
        neighbours_.resize(2 * pairs_.size());
        std::vector<std::size_t> next(first_neighbour_.begin(), first_neighbour_.end() - 1);
        for (const Pair& pair : pairs_) {
            neighbours_[next[pair.a]++] = {pair.b, pair.bytes};
            neighbours_[next[pair.b]++] = {pair.a, pair.bytes};
        }
    }

    const WeightedGraph& graph_;
    const SubtreeShapes& shapes_;
    std::vector<RankCluster> clusters_;
    std::vector<ClusterId> cluster_of_rank_;  ///< the largest cluster that has the rank
    std::vector<ClusterId> now_in_;           ///< by cluster, the larger cluster that took it
    std::vector<Pair> pairs_;
    std::vector<std::size_t> first_neighbour_;
    std::vector<Neighbour> neighbours_;
    std::vector<std::uint64_t> attraction_;  ///< bytes between a cluster and the group that grows
};

}  // namespace

std::vector<PuId> greedy_placement(const MappingProblem& problem) {
    std::vector<PuId> pu_of_rank(problem.graph.num_ranks(), no_id);
    if (pu_of_rank.empty()) return pu_of_rank;
    const ClusterInput input(problem);
    place_clusters(Grouping(input.graph, input.shapes).run(), problem.hct, input.counter,
                   input.shapes, pu_of_rank);
    return pu_of_rank;
}

Result<Mapping> map_greedy(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    Mapping mapping{greedy_placement(problem), {}};
    put_rank0(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
