// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "commmap/machine_tree.hpp"
#include "commmap/weighted_graph.hpp"
#include "core/base/random.hpp"
#include "core/tree_mapping/graph/csr_graph.hpp"

namespace commmap::tests {

/// Weight of each edge, by its ends, the lower one first.
using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

inline WeightedGraph graph_of(std::uint32_t n, const Pairs& pairs) {
    std::vector<WeightedEdge> edges;
    for (const auto& [ends, weight] : pairs)
        edges.push_back({ends.first, ends.second, static_cast<double>(weight)});
    return graph_of_edges(n, edges).value();
}

/// 0 - 1 - 2 - ... - n-1
inline Pairs path_of(std::uint32_t n) {
    Pairs pairs;
    for (std::uint32_t v = 1; v < n; ++v) pairs[{v - 1, v}] = 1;
    return pairs;
}

/// Vertex 0 with n-1 leaves.
inline Pairs star_of(std::uint32_t n) {
    Pairs pairs;
    for (std::uint32_t v = 1; v < n; ++v) pairs[{0, v}] = 1;
    return pairs;
}

/// Cliques 0 .. k-1 and k .. 2k-1 whose edges weigh 9. The edge k-1 - k of weight 1 joins them.
inline Pairs two_cliques_of(std::uint32_t k) {
    Pairs pairs;
    for (const std::uint32_t first : {0U, k})
        for (std::uint32_t v = first; v < first + k; ++v)
            for (std::uint32_t u = first; u < v; ++u) pairs[{u, v}] = 9;
    pairs[{k - 1, k}] = 1;
    return pairs;
}

/// Vertex width * y + x is the point (x, y).
inline Pairs grid_of(std::uint32_t width, std::uint32_t height, std::uint64_t along_x = 1,
                     std::uint64_t along_y = 1) {
    Pairs pairs;
    for (std::uint32_t v = 0; v < width * height; ++v) {
        if (v % width + 1 < width) pairs[{v, v + 1}] = along_x;
        if (v + width < width * height) pairs[{v, v + width}] = along_y;
    }
    return pairs;
}

inline WeightedGraph random_graph(Random& random, std::uint32_t n, std::uint64_t heaviest) {
    Pairs pairs;
    const std::uint64_t edges = n < 2 ? 0 : random.below(4 * std::uint64_t{n});
    for (std::uint64_t e = 0; e < edges; ++e) {
        const auto a = static_cast<std::uint32_t>(random.below(n));
        const auto b = static_cast<std::uint32_t>(random.below(n));
        if (a != b) pairs[std::minmax(a, b)] = random.below(heaviest + 1);
    }
    return graph_of(n, pairs);
}

/// Returns the weight of the edges between vertices with different values.
/// @param value_of  by vertex, such as parts or sides
template <class Values>
double cut_of(const CsrGraph& graph, const Values& value_of) {
    double cut = 0.0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i)
            if (value_of[graph.neighbours[i]] != value_of[v])
                cut += static_cast<double>(graph.weights[i]);
    return cut / 2;
}

/// A graph whose vertices are in parts of these sizes.
struct PartsCase {
    CsrGraph graph;
    std::vector<std::uint32_t> targets;
    std::vector<std::uint32_t> parts;  ///< by vertex
};

/// Returns a machine of one to four levels, of which some PUs may not be used.
inline MachineTree random_machine(Random& random) {
    std::vector<std::uint32_t> arities;
    std::vector<std::uint64_t> distances;
    std::uint32_t pus = 1;
    for (std::uint64_t level = 1 + random.below(4); level > 0; --level) {
        arities.push_back(1 + static_cast<std::uint32_t>(random.below(4)));
        distances.push_back((distances.empty() ? 0 : distances.back()) + random.below(20));
        pus *= arities.back();
    }
    std::vector<PuId> available;
    for (PuId pu = 0; pu < pus; ++pu)
        if (random.below(5) > 0) available.push_back(pu);
    return std::move(MachineTree::make(arities, distances, available)).value();
}

/// The figures of a placement, computed by their definitions, without code of the mapping engine.
struct SlowFigures {
    double hop_bytes = 0.0;
    double port_cost = 0.0;  ///< of links above groups
    double process_time = 0.0;
};

inline SlowFigures slow_figures(const WeightedGraph& graph, const MachineTree& machine,
                                const std::vector<GroupId>& bins) {
    SlowFigures figures;
    std::map<std::pair<std::size_t, GroupId>, double> links;
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        double time = 0.0;
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const auto weight = static_cast<double>(graph.weights[i]);
            GroupId a = bins[v];
            GroupId b = bins[graph.neighbours[i]];
            std::size_t depth = machine.num_levels() - 1;
            for (; a != b; --depth) {
                links[{depth, a}] += weight *
                                     (static_cast<double>(machine.level(depth - 1).distance) -
                                      static_cast<double>(machine.level(depth).distance)) /
                                     2;
                a = machine.level(depth).parent[a];
                b = machine.level(depth).parent[b];
            }
            time += weight * static_cast<double>(machine.level(depth).distance);
        }
        figures.hop_bytes += time / 2;
        figures.process_time = std::max(figures.process_time, time);
    }
    for (const auto& [link, cost] : links) figures.port_cost = std::max(figures.port_cost, cost);
    return figures;
}

}  // namespace commmap::tests
