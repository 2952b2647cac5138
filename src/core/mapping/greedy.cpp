#include "core/mapping/greedy.hpp"

#include <algorithm>
#include <cassert>
#include <map>

#include "core/mapping/rank0.hpp"
#include "core/mapping/rank_graph.hpp"
#include "core/mapping/slots.hpp"

namespace commmap {

namespace {

using ShapeId = std::uint32_t;
using ClusterId = std::uint32_t;

/// A subtree with slots, up to order; shape 0 is a single PU. Elements of one shape can hold the
/// same clusters.
struct Shape {
    std::vector<ShapeId> children;  ///< ascending, two or more; empty for a PU
    std::uint32_t height = 0;
    std::uint32_t num_pus = 1;
    std::uint32_t num_elements = 0;  ///< groups that have to be made
};

struct Shapes {
    std::vector<Shape> all;
    std::vector<ShapeId>
        of_element;  ///< of the element itself where it is a choice, else of the choice below
};

Shapes find_shapes(const Hct& hct, const SlotCounter& slots) {
    Shapes shapes;
    shapes.all.push_back({{}, 0, 1, 0});
    shapes.of_element.assign(hct.num_elements(), no_id);
    std::map<std::vector<ShapeId>, ShapeId> known;
    for (auto e = static_cast<ElementId>(hct.num_elements());
         e-- > 0;) {  // children before parents
        if (slots.count(e) == 0) continue;
        std::vector<ShapeId> children;
        for (const ElementId child : slots.children(e)) {
            children.push_back(shapes.of_element[child]);
        }
        if (children.size() == 1) {
            shapes.of_element[e] = children.front();
            continue;
        }
        if (children.empty()) {
            shapes.of_element[e] = 0;
            ++shapes.all[0].num_elements;
            continue;
        }
        std::sort(children.begin(), children.end());
        const auto [it, is_new] = known.emplace(children, static_cast<ShapeId>(shapes.all.size()));
        if (is_new) {
            Shape shape{children, 0, 0, 0};
            for (const ShapeId child : children) {
                shape.height = std::max(shape.height, shapes.all[child].height + 1);
                shape.num_pus += shapes.all[child].num_pus;
            }
            shapes.all.push_back(std::move(shape));
        }
        shapes.of_element[e] = it->second;
        ++shapes.all[it->second].num_elements;
    }
    return shapes;
}

struct Cluster {
    ShapeId shape = 0;
    RankId rank = no_id;              ///< of a cluster of shape 0
    std::vector<ClusterId> children;  ///< in the order in which they were made
    bool taken = false;               ///< part of a larger cluster
};

/// First pass: clusters from single ranks up to one that holds all.
class Grouping {
public:
    Grouping(const RankGraph& graph, const Shapes& shapes) : graph_(graph), shapes_(shapes) {
        cluster_of_rank_.resize(graph.num_ranks());
        for (RankId r = 0; r < graph.num_ranks(); ++r) {
            clusters_.push_back({0, r, {}, false});
            cluster_of_rank_[r] = r;
        }
    }

    std::vector<Cluster> run() {
        std::uint32_t highest = 0;
        for (const Shape& shape : shapes_.all) highest = std::max(highest, shape.height);
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
        std::vector<std::pair<ShapeId, std::uint32_t>> missing;  // shape, groups still to begin
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
                if (!take(group, pair.b)) {  // back: this shape has no room for both
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
            if (!clusters_[c].taken) free[clusters_[c].shape].push_back(c);  // oldest at the back
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

    /// Bytes between the clusters that are not part of a larger one, heaviest first.
    void find_pairs() {
        now_in_.resize(clusters_.size(), no_id);
        for (ClusterId& c : cluster_of_rank_) {
            while (now_in_[c] != no_id) c = now_in_[c];
        }
        pairs_.clear();
        for (RankId r = 0; r < graph_.num_ranks(); ++r) {
            for (const RankGraph::Edge& edge : graph_.edges_of(r)) {
                const ClusterId a = cluster_of_rank_[r];
                const ClusterId b = cluster_of_rank_[edge.peer];
                if (r < edge.peer && a != b) {
                    pairs_.push_back({std::min(a, b), std::max(a, b), edge.bytes});
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

    const RankGraph& graph_;
    const Shapes& shapes_;
    std::vector<Cluster> clusters_;
    std::vector<ClusterId> cluster_of_rank_;  ///< not taken
    std::vector<ClusterId> now_in_;           ///< the larger cluster that took it
    std::vector<Pair> pairs_;
    std::vector<std::size_t> first_neighbour_;
    std::vector<Neighbour> neighbours_;
    std::vector<std::uint64_t> attraction_;  ///< bytes between a cluster and the group that grows
};

/// Second pass: the cluster on the element, its children on the element's children.
class Assignment {
public:
    Assignment(const Hct& hct, const SlotCounter& slots, const Shapes& shapes,
               const std::vector<Cluster>& clusters, std::vector<PuId>& pu_of_rank)
        : hct_(hct), slots_(slots), shapes_(shapes), clusters_(clusters), pu_of_rank_(pu_of_rank) {}

    void assign(ElementId element, ClusterId id) {
        element = slots_.next_choice(element);
        const Cluster& cluster = clusters_[id];
        if (cluster.rank != no_id) {
            pu_of_rank_[cluster.rank] = hct_.element(element).first_pu;
            return;
        }
        std::vector<bool> used(cluster.children.size(), false);
        for (const ElementId child : slots_.children(element)) {
            std::size_t i = 0;
            while (used[i] || clusters_[cluster.children[i]].shape != shapes_.of_element[child])
                ++i;
            used[i] = true;
            assign(child, cluster.children[i]);
        }
    }

private:
    const Hct& hct_;
    const SlotCounter& slots_;
    const Shapes& shapes_;
    const std::vector<Cluster>& clusters_;
    std::vector<PuId>& pu_of_rank_;
};

}  // namespace

std::vector<PuId> greedy_placement(const MappingProblem& problem) {
    std::vector<PuId> pu_of_rank(problem.graph.num_ranks(), no_id);
    if (pu_of_rank.empty()) return pu_of_rank;
    const std::vector<PuId> used = used_slots(problem);
    const SlotCounter slots(problem.hct, used);
    const Shapes shapes = find_shapes(problem.hct, slots);
    const RankGraph graph(problem.graph);
    const std::vector<Cluster> clusters = Grouping(graph, shapes).run();
    Assignment(problem.hct, slots, shapes, clusters, pu_of_rank)
        .assign(0, static_cast<ClusterId>(clusters.size() - 1));
    return pu_of_rank;
}

Result<Mapping> map_greedy(const MappingProblem& problem, const MapperOptions& /*options*/) {
    if (const Status ok = check_problem(problem); !ok) return ok.error();
    Mapping mapping{greedy_placement(problem), {}};
    put_rank0(problem, mapping.pu_of_rank);
    return mapping;
}

}  // namespace commmap
