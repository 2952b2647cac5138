#include "core/mapping/bisection.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/ids.hpp"

namespace commmap {
namespace {

constexpr std::uint32_t smallest = 100;       ///< vertices of the smallest graphs
constexpr std::uint32_t shared = 1200;        ///< of the one that they are coarsened from
constexpr std::uint32_t kept_up_to = 600;     ///< vertices: above it the best one goes on alone
constexpr std::uint32_t second_up_to = 4096;  ///< the same of two hierarchies
constexpr double stuck = 0.95;  ///< a graph that shrinks less is not coarsened further
/// Where pairs run out before (a star, ranks alone) each start takes as long as the whole graph.
constexpr std::uint32_t much_larger = 4;
constexpr std::uint32_t uncoarsened_up_to = 8192;  ///< vertices

/// Few vertices with very many neighbours: pairs are not what such a graph is made of, and cuts of
/// half the weight are found when it is split as it is (R-MAT with 1,024 and 4,096 vertices).
bool has_hubs(const CsrGraph& graph) {
    std::uint32_t most = 0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        most = std::max(most, graph.first[v + 1] - graph.first[v]);
    return std::uint64_t{most} * graph.num_vertices() > std::uint64_t{8} * graph.neighbours.size();
}

std::uint64_t total_size(const CsrGraph& graph) {
    return std::accumulate(graph.sizes.begin(), graph.sizes.end(), std::uint64_t{0});
}

/// Vertices may differ from the target by the largest of them while there are larger ones than 1.
TwoWayRefinement::Goal goal_of(const CsrGraph& graph, std::uint64_t target) {
    const std::uint32_t largest = *std::max_element(graph.sizes.begin(), graph.sizes.end());
    return {target, largest > 1 ? largest : 0U};
}

TwoWayRefinement::Effort effort_of(const CsrGraph& graph) {
    return {8, std::min(300U, 25 + graph.num_vertices() / 50)};
}

/// A graph and what it was coarsened to.
class Hierarchy {
public:
    Hierarchy(const CsrGraph& finest, std::uint32_t down_to, Random& random) : finest_(finest) {
        const auto max_size = static_cast<std::uint32_t>(
            std::max<std::uint64_t>(2, total_size(finest) * 3 / (2 * std::uint64_t{down_to})));
        while (coarsest().num_vertices() > down_to) {
            Coarsened coarser = coarsen(coarsest(), max_size, random);
            const bool no_use = coarser.graph.num_vertices() > stuck * coarsest().num_vertices();
            levels_.push_back(std::move(coarser));
            if (no_use) break;
        }
    }
    [[nodiscard]] std::size_t num_levels() const { return levels_.size(); }
    /// 0: the finest
    [[nodiscard]] const CsrGraph& graph(std::size_t level) const {
        return level == 0 ? finest_ : levels_[level - 1].graph;
    }
    [[nodiscard]] const CsrGraph& coarsest() const { return graph(levels_.size()); }
    /// Of the vertices of a level, in the next one.
    [[nodiscard]] const std::vector<std::uint32_t>& coarse_of(std::size_t level) const {
        return levels_[level].coarse_of;
    }

private:
    const CsrGraph& finest_;
    std::vector<Coarsened> levels_;
};

template <class Candidates>
void best_first(Candidates& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.cut < b.cut; });
}

}  // namespace

Sides Bisection::split(const CsrGraph& graph, std::uint64_t target, const BisectionEffort& effort) {
    const std::uint64_t total = total_size(graph);
    if (target == 0 || target >= total)
        return Sides(graph.num_vertices(), static_cast<std::uint8_t>(target == 0 ? 1 : 0));
    if (graph.neighbours.empty() && total == graph.num_vertices()) {  // nothing to cut
        Sides sides(graph.num_vertices(), 1);
        std::fill(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(target), 0);
        return sides;
    }
    const Hierarchy hierarchy(graph, shared, random_);
    Candidates candidates;
    const bool once = graph.num_vertices() <= smallest ||
                      hierarchy.coarsest().num_vertices() > much_larger * shared;
    for (unsigned h = 0; h < (once ? 1 : std::max(1U, effort.hierarchies)); ++h)
        candidates.push_back(split_coarse(hierarchy.coarsest(), target, effort));
    best_first(candidates);
    if (candidates.size() > 2) candidates.resize(2);
    for (std::size_t level = hierarchy.num_levels(); level-- > 0;) {
        const CsrGraph& finer = hierarchy.graph(level);
        if (finer.num_vertices() > second_up_to) candidates.resize(1);
        refine_all(finer, hierarchy.coarse_of(level), target, candidates);
    }
    if (graph.num_vertices() <= uncoarsened_up_to && has_hubs(graph)) {
        for (Candidate& start : starts(graph, target, {1, 2, 1}))
            candidates.push_back(std::move(start));
        best_first(candidates);
    }
    return std::move(candidates.front().sides);
}

Bisection::Candidate Bisection::split_coarse(const CsrGraph& graph, std::uint64_t target,
                                             const BisectionEffort& effort) {
    const Hierarchy hierarchy(graph, smallest, random_);
    const bool small = hierarchy.coarsest().num_vertices() <= much_larger * smallest;
    Candidates candidates =
        starts(hierarchy.coarsest(), target, small ? effort : BisectionEffort{1, 2, 1});
    for (std::size_t level = hierarchy.num_levels(); level-- > 0;) {
        const CsrGraph& finer = hierarchy.graph(level);
        if (finer.num_vertices() > kept_up_to) candidates.resize(1);
        refine_all(finer, hierarchy.coarse_of(level), target, candidates);
    }
    return std::move(candidates.front());
}

void Bisection::refine_all(const CsrGraph& finer, const std::vector<std::uint32_t>& coarse_of,
                           std::uint64_t target, Candidates& candidates) {
    for (Candidate& candidate : candidates) {
        Sides sides(finer.num_vertices());
        for (std::uint32_t v = 0; v < finer.num_vertices(); ++v)
            sides[v] = candidate.sides[coarse_of[v]];
        candidate.cut = refinement_.refine(finer, goal_of(finer, target), effort_of(finer), sides);
        candidate.sides = std::move(sides);
    }
    best_first(candidates);
}

/// The best first, no two of the same cut, at least one.
Bisection::Candidates Bisection::starts(const CsrGraph& graph, std::uint64_t target,
                                        const BisectionEffort& effort) {
    Candidates candidates;
    for (unsigned start = 0; start < std::max(1U, effort.starts); ++start) {
        Sides sides =
            start % 2 == 0 ? grow_breadth_first(graph, target) : grow_greedily(graph, target);
        const double cut =
            refinement_.refine(graph, goal_of(graph, target), effort_of(graph), sides);
        candidates.push_back({cut, std::move(sides)});
    }
    best_first(candidates);
    const auto same = [](const Candidate& a, const Candidate& b) { return a.cut == b.cut; };
    candidates.erase(std::unique(candidates.begin(), candidates.end(), same), candidates.end());
    if (candidates.size() > effort.kept) candidates.resize(std::max(1U, effort.kept));
    return candidates;
}

std::uint32_t Bisection::random_outside(const CsrGraph& graph, const Sides& sides) {
    const std::uint32_t n = graph.num_vertices();
    const auto from = static_cast<std::uint32_t>(random_.below(n));
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint32_t v = (from + i) % n;
        if (sides[v] == 1) return v;
    }
    return no_id;
}

Sides Bisection::grow_breadth_first(const CsrGraph& graph, std::uint64_t target) {
    Sides sides(graph.num_vertices(), 1);
    queue_.clear();
    std::uint64_t size = 0;
    for (std::size_t next = 0; size < target; ++next) {
        if (next == queue_.size()) {
            const std::uint32_t v = random_outside(graph, sides);
            if (v == no_id || size + graph.sizes[v] / 2 > target) break;
            sides[v] = 0;
            size += graph.sizes[v];
            queue_.push_back(v);
        }
        for (const std::uint32_t u : graph.neighbours_of(queue_[next])) {
            if (sides[u] == 0 || size + graph.sizes[u] / 2 > target) continue;
            sides[u] = 0;
            size += graph.sizes[u];
            queue_.push_back(u);
        }
    }
    return sides;
}

Sides Bisection::grow_greedily(const CsrGraph& graph, std::uint64_t target) {
    const std::uint32_t n = graph.num_vertices();
    Sides sides(n, 1);
    gains_.assign(n, 0.0);
    heap_.reset(n);
    std::uint64_t size = 0;
    while (size < target) {
        std::uint32_t v = no_id;
        if (heap_.empty()) {
            v = random_outside(graph, sides);
            if (v == no_id) break;
        } else {
            v = heap_.top();
            heap_.remove(v);
        }
        if (size + graph.sizes[v] / 2 > target) break;
        sides[v] = 0;
        size += graph.sizes[v];
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t u = graph.neighbours[i];
            if (sides[u] == 0) continue;
            if (!heap_.contains(u)) {
                double outside = 0.0;
                for (const float weight : graph.weights_of(u))
                    outside += static_cast<double>(weight);
                gains_[u] = -outside;
            }
            gains_[u] += 2.0 * static_cast<double>(graph.weights[i]);
            heap_.set(u, gains_[u]);
        }
    }
    return sides;
}

}  // namespace commmap
