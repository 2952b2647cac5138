// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/sweeney.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "core/mapping/construction/rank_clusters.hpp"
#include "core/mapping/construction/subtree_shapes.hpp"
#include "core/mapping/problem/rank0.hpp"

namespace commmap {

namespace {

/// Returns the number of sets of `size` out of `clusters`; limit + 1 if it is above the limit.
std::size_t number_of_sets(std::size_t clusters, std::size_t size, std::size_t limit) {
    if (size > clusters) return 0;
    const std::size_t other = std::min(size, clusters - size);
    std::size_t number = 1;
    for (std::size_t i = 1; i <= other; ++i) {
        number = number * (clusters - other + i) / i;  // exact: i! divides i numbers in a row
        if (number > limit) return limit + 1;
    }
    return number;
}

/// The clusters from which a level makes its own (Fig. 3's C of the level below), with the bytes
/// that they exchange.
class LevelClusters {
public:
    /// @param cluster_of_rank  the largest cluster of each rank
    LevelClusters(std::vector<ClusterId> members, std::span<const ClusterId> cluster_of_rank,
                  const WeightedGraph& graph)
        : members_(std::move(members)), rows_(members_.size()), chosen_(members_.size(), false) {
        std::map<ClusterId, std::uint32_t> index_of;
        for (std::uint32_t i = 0; i < members_.size(); ++i) index_of.emplace(members_[i], i);
        for (RankId rank = 0; rank < graph.num_vertices(); ++rank) {
            const auto own = index_of.find(cluster_of_rank[rank]);
            if (own == index_of.end()) continue;
            for (std::size_t i = graph.first[rank]; i < graph.first[rank + 1]; ++i) {
                const auto other = index_of.find(cluster_of_rank[graph.neighbours[i]]);
                if (other == index_of.end() || other == own) continue;
                rows_[own->second][other->second] += graph.weights[i];
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return members_.size(); }
    [[nodiscard]] ClusterId operator[](std::uint32_t i) const { return members_[i]; }

    /// Returns the bytes between the different clusters of a set.
    [[nodiscard]] std::uint64_t bytes_inside(std::span<const std::uint32_t> set) {
        for (const std::uint32_t i : set) chosen_[i] = true;
        std::uint64_t bytes = 0;
        for (const std::uint32_t i : set)
            for (const auto& [other, amount] : rows_[i])
                if (other < i && chosen_[other]) bytes += amount;
        for (const std::uint32_t i : set) chosen_[i] = false;
        return bytes;
    }

private:
    std::vector<ClusterId> members_;
    std::vector<std::map<std::uint32_t, std::uint64_t>> rows_;  ///< bytes, by both clusters
    std::vector<bool> chosen_;
};

/// Fig. 3's S: a list of sets Q of clusters with their bytes b.
class ClusterSets {
public:
    /// Adds every set of `size` clusters. @pre size <= clusters.size()
    void add_all(LevelClusters& clusters, std::uint32_t size) {
        std::vector<std::uint32_t> set(size);
        std::iota(set.begin(), set.end(), 0U);
        do {
            sets_.push_back({clusters.bytes_inside(set), members_.size(), size});
            members_.insert(members_.end(), set.begin(), set.end());
        } while (to_next(set, static_cast<std::uint32_t>(clusters.size())));
    }

    /// Calls use(Q) for each set, the heaviest first.
    template <class Use>
    void for_each_by_bytes(Use&& use) {
        std::stable_sort(sets_.begin(), sets_.end(),
                         [](const Set& x, const Set& y) { return x.bytes > y.bytes; });
        for (const Set& set : sets_) use(std::span(members_).subspan(set.first, set.size));
    }

private:
    struct Set {
        std::uint64_t bytes;
        std::size_t first;  ///< index into members_
        std::uint32_t size;
    };

    /// Changes a set into the next set in the order of their members; false after the last set.
    static bool to_next(std::vector<std::uint32_t>& set, std::uint32_t clusters) {
        const auto size = static_cast<std::uint32_t>(set.size());
        std::uint32_t i = size;
        while (i > 0 && set[i - 1] == clusters - size + i - 1) --i;
        if (i == 0) return false;
        std::iota(set.begin() + (i - 1), set.end(), set[i - 1] + 1);
        return true;
    }

    std::vector<Set> sets_;
    std::vector<std::uint32_t> members_;
};

/// Fig. 3's first pass, "exploit bandwidth": makes clusters, from single ranks up to one cluster of
/// all ranks.
class BandwidthPass {
public:
    BandwidthPass(const WeightedGraph& graph, const SubtreeShapes& shapes)
        : graph_(graph), shapes_(shapes) {
        for (RankId rank = 0; rank < graph.num_vertices(); ++rank) {
            clusters_.push_back({0, rank, {}, false});
            cluster_of_rank_.push_back(rank);
        }
        for (ShapeId s = 0; s < shapes.all.size(); ++s)
            shape_of_.emplace(shapes.all[s].children, s);
    }

    Result<std::vector<RankCluster>> run() {
        std::uint32_t levels = 0;
        for (const SubtreeShape& shape : shapes_.all) levels = std::max(levels, shape.height);
        for (std::uint32_t level = 1; level <= levels; ++level)
            if (const Status ok = make_level(level); !ok) return ok.error();
        return std::move(clusters_);
    }

private:
    Status make_level(std::uint32_t level) {
        std::map<ShapeId, std::uint32_t> missing;  // by shape, number of elements without a cluster
        std::set<std::uint32_t, std::greater<>> sizes;
        std::set<ShapeId> parts;
        for (ShapeId s = 0; s < shapes_.all.size(); ++s) {
            const SubtreeShape& shape = shapes_.all[s];
            if (shape.height != level) continue;
            missing.emplace(s, shape.num_elements);
            sizes.insert(static_cast<std::uint32_t>(shape.children.size()));
            parts.insert(shape.children.begin(), shape.children.end());
        }
        LevelClusters clusters(free_ones(parts), cluster_of_rank_, graph_);
        if (const Status ok = check_number(clusters.size(), sizes); !ok) return ok.error();
        ClusterSets sets;
        for (const std::uint32_t size : sizes) sets.add_all(clusters, size);
        sets.for_each_by_bytes([&](std::span<const std::uint32_t> set) {
            std::vector<ClusterId> members;
            std::vector<ShapeId> shapes;
            for (const std::uint32_t i : set) {
                const RankCluster& cluster = clusters_[clusters[i]];
                if (cluster.taken) return;
                members.push_back(clusters[i]);
                shapes.push_back(cluster.shape);
            }
            std::sort(shapes.begin(), shapes.end());
            const auto shape = shape_of_.find(shapes);
            if (shape == shape_of_.end()) return;
            const auto left = missing.find(shape->second);
            if (left == missing.end() || left->second == 0) return;
            --left->second;
            for (const ClusterId member : members) clusters_[member].taken = true;
            clusters_.push_back({shape->second, no_id, std::move(members), false});
        });
        assert(std::all_of(missing.begin(), missing.end(),
                           [](const auto& left) { return left.second == 0; }) &&
               "a set is missing");
        lift_ranks();
        return Ok{};
    }

    [[nodiscard]] std::vector<ClusterId> free_ones(const std::set<ShapeId>& shapes) const {
        std::vector<ClusterId> free;
        for (ClusterId c = 0; c < clusters_.size(); ++c)
            if (!clusters_[c].taken && shapes.count(clusters_[c].shape) > 0) free.push_back(c);
        return free;
    }

    static Status check_number(std::size_t clusters,
                               const std::set<std::uint32_t, std::greater<>>& sizes) {
        std::size_t members = 0;
        for (const std::uint32_t size : sizes) {
            const std::size_t sets = number_of_sets(clusters, size, max_sets);
            members += sets * size;
            if (sets <= max_sets && members <= max_set_members) continue;
            return Error{Errc::out_of_range,
                         fmt::format("the mapper sweeney would list every set of {} out of {} "
                                     "clusters, more than {}: use the mapper greedy",
                                     size, clusters,
                                     sets > max_sets ? fmt::format("{} sets", max_sets)
                                                     : fmt::format("{} clusters in all sets",
                                                                   max_set_members))};
        }
        return Ok{};
    }

    /// Sets cluster_of_rank_ to the new cluster of each rank.
    void lift_ranks() {
        std::vector<ClusterId> now_in(clusters_.size(), no_id);
        for (ClusterId c = 0; c < clusters_.size(); ++c)
            for (const ClusterId child : clusters_[c].children) now_in[child] = c;
        for (ClusterId& c : cluster_of_rank_)
            while (now_in[c] != no_id) c = now_in[c];
    }

    const WeightedGraph& graph_;
    const SubtreeShapes& shapes_;
    std::map<std::vector<ShapeId>, ShapeId> shape_of_;  ///< by children, ascending
    std::vector<RankCluster> clusters_;
    std::vector<ClusterId> cluster_of_rank_;  ///< the largest cluster that has the rank
};

}  // namespace

Result<std::vector<PuId>> sweeney_placement(const MappingProblem& problem) {
    std::vector<PuId> pu_of_rank(problem.graph.num_ranks(), no_id);
    if (pu_of_rank.empty()) return pu_of_rank;
    const ClusterInput input(problem);
    const auto clusters = BandwidthPass(input.graph, input.shapes).run();
    if (!clusters) return clusters.error();
    place_clusters(clusters.value(), problem.hct, input.counter, input.shapes, pu_of_rank);
    return pu_of_rank;
}

Result<Mapping> map_sweeney(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    auto placement = sweeney_placement(problem);
    if (!placement) return placement.error();
    Mapping mapping{std::move(placement).value(), {}};
    put_rank0_by_one_swap(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
