// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/grid/axis_edges.hpp"

#include <array>
#include <atomic>

#include "commmap/ids.hpp"

namespace commmap {
namespace {

constexpr float light = 8.0F;                   ///< an edge this much lighter is no axis
constexpr float same_weight = 1.1F;             ///< weights within this factor count as equal
constexpr std::size_t vertices_at_once = 1024;  ///< vertices that a thread takes at once

/// A hash table of one vertex's neighbours, with the edge to each.
class NeighbourTable {
public:
    NeighbourTable(const CsrGraph& graph, std::uint32_t v) {
        vertex_.fill(no_id);
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::size_t place = place_of(graph.neighbours[i]);
            vertex_[place] = graph.neighbours[i];
            edge_[place] = i;
        }
    }
    /// Returns the edge to u; no_id: u is not a neighbour.
    [[nodiscard]] std::uint32_t edge_to(std::uint32_t u) const {
        const std::size_t place = place_of(u);
        return vertex_[place] == u ? edge_[place] : no_id;
    }

private:
    static constexpr std::size_t places = 256;
    static_assert(places > 2 * AxisEdges::most_neighbours);

    [[nodiscard]] std::size_t place_of(std::uint32_t u) const {
        std::size_t place = (u * 0x9E3779B1U) >> 24U;
        while (vertex_[place] != no_id && vertex_[place] != u) place = (place + 1) % places;
        return place;
    }

    std::array<std::uint32_t, places> vertex_;
    std::array<std::uint32_t, places> edge_;
};

/// Tells which of two edges has the closer ends (AxisRule).
class Closeness {
public:
    /// @param likeness  by end of an edge: the results of compare(), or room for them
    Closeness(const CsrGraph& graph, bool by_weight, std::vector<float>& likeness)
        : graph_(graph), by_weight_(by_weight), likeness_(likeness) {}

    void compare_all(Threads& threads) {
        threads.parallel_for(graph_.num_vertices(), vertices_at_once,
                             [&](std::size_t begin, std::size_t end) {
                                 for (std::size_t v = begin; v < end; ++v)
                                     compare(static_cast<std::uint32_t>(v));
                             });
    }
    [[nodiscard]] bool closer(std::uint32_t edge, std::uint32_t other) const {
        if (!by_weight_ && likeness_[edge] != likeness_[other])
            return likeness_[edge] > likeness_[other];
        if (graph_.weights[edge] > same_weight * graph_.weights[other]) return true;
        return by_weight_ && likeness_[edge] > likeness_[other] &&
               graph_.weights[other] <= same_weight * graph_.weights[edge];
    }

    /// Computes the likeness of the edges of one vertex: the square of the cosine between the rows
    /// of both ends. Each end counts among its own neighbours.
    void compare(std::uint32_t v) {
        const NeighbourTable of_v(graph_, v);
        for (std::uint32_t i = graph_.first[v]; i < graph_.first[v + 1]; ++i) {
            const std::uint32_t u = graph_.neighbours[i];
            std::uint32_t common = 2;  // u and v themselves
            for (const std::uint32_t w : graph_.neighbours_of(u))
                if (of_v.edge_to(w) != no_id) ++common;
            const auto degrees = static_cast<double>(graph_.neighbours_of(v).size() + 1) *
                                 static_cast<double>(graph_.neighbours_of(u).size() + 1);
            likeness_[i] = static_cast<float>(common * common / degrees);
        }
    }

    /// Calls use(u) for each neighbour u of v, unless a third vertex is closer to both.
    /// @pre v and its neighbours have been compared
    template <class Use>
    void for_each_near(std::uint32_t v, Use&& use) const {
        const NeighbourTable of_v(graph_, v);
        for (std::uint32_t i = graph_.first[v]; i < graph_.first[v + 1]; ++i) {
            const std::uint32_t u = graph_.neighbours[i];
            bool third = false;
            for (std::uint32_t j = graph_.first[u]; j < graph_.first[u + 1] && !third; ++j) {
                const std::uint32_t other = of_v.edge_to(graph_.neighbours[j]);
                third = other != no_id && closer(other, i) && closer(j, i);
            }
            if (!third) use(u);
        }
    }

private:
    const CsrGraph& graph_;
    bool by_weight_;
    std::vector<float>& likeness_;
};

/// Returns false for most graphs that are no grid, at a hundredth of the cost of a full search. A
/// point of a grid has one or two neighbours on each axis, which is checked for a few vertices.
bool may_be_grid(const CsrGraph& graph, Closeness& closeness) {
    constexpr std::uint32_t most_looked_at = 32;
    const std::uint32_t n = graph.num_vertices();
    std::size_t least = AxisEdges::most_neighbours;
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < most_looked_at; ++i) {
        const auto v = static_cast<std::uint32_t>(std::uint64_t{i} * n / most_looked_at);
        closeness.compare(v);
        for (const std::uint32_t u : graph.neighbours_of(v)) closeness.compare(u);
        std::size_t near = 0;
        closeness.for_each_near(v, [&](std::uint32_t /*u*/) { ++near; });
        least = std::min(least, near);
        most = std::max(most, near);
        if (near == 0 || most > 2 * least || most > AxisEdges::most_of_vertex) return false;
    }
    return true;
}

}  // namespace

bool AxisEdges::find(const CsrGraph& graph, AxisRule rule, Threads& threads) {
    if (rule == AxisRule::heavy) return find_heavy(graph, light, threads);
    if (rule == AxisRule::heaviest) return find_heavy(graph, same_weight, threads);
    return find_near(graph, rule == AxisRule::near_by_weight, threads);
}

std::optional<std::vector<AxisEdges::Pair>> AxisEdges::pairs_around(std::uint32_t v) const {
    const auto row = of(v);
    std::vector<Pair> pairs;
    std::vector<bool> paired(row.size(), false);
    for (std::size_t a = 0; a < row.size(); ++a) {
        if (paired[a]) continue;
        if (2 * pairs.size() == most_of_vertex) return std::nullopt;
        Pair pair{row[a], no_id};
        for (std::size_t b = a + 1; b < row.size(); ++b) {
            if (paired[b] || fourth(v, row[a], row[b]) != no_id) continue;
            if (pair[1] != no_id) return std::nullopt;
            pair[1] = row[b];
            paired[b] = true;
        }
        pairs.push_back(pair);
    }
    return pairs;
}

bool AxisEdges::find_heavy(const CsrGraph& graph, float lighter, Threads& threads) {
    const std::uint32_t n = graph.num_vertices();
    clear(n);
    std::vector<float> heaviest(n, 0.0F);
    threads.parallel_for(n, vertices_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            for (const float weight : graph.weights_of(static_cast<std::uint32_t>(v)))
                heaviest[v] = std::max(heaviest[v], weight);
    });
    std::atomic<bool> fits{true};
    threads.parallel_for(n, vertices_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end && fits; ++v) {
            for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
                const std::uint32_t u = graph.neighbours[i];
                if (graph.weights[i] * lighter < std::max(heaviest[v], heaviest[u])) continue;
                if (!add(v, u)) fits = false;
            }
        }
    });
    return fits;
}

bool AxisEdges::find_near(const CsrGraph& graph, bool by_weight, Threads& threads) {
    const std::uint32_t n = graph.num_vertices();
    for (std::uint32_t v = 0; v < n; ++v)
        if (graph.neighbours_of(v).size() > most_neighbours) return false;
    likeness_.resize(graph.neighbours.size());
    Closeness closeness(graph, by_weight, likeness_);
    if (!may_be_grid(graph, closeness)) return false;
    clear(n);
    if (!compared_) closeness.compare_all(threads);
    compared_ = true;
    std::atomic<bool> fits{true};
    threads.parallel_for(n, vertices_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end && fits; ++v)
            closeness.for_each_near(static_cast<std::uint32_t>(v), [&](std::uint32_t u) {
                if (!add(v, u)) fits = false;
            });
    });
    return fits;
}

}  // namespace commmap
