// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/csr_graph.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "commmap/ids.hpp"

namespace commmap {

CsrGraph::CsrGraph(const WeightedGraph& graph, double farthest) : sizes(graph.num_vertices(), 1) {
    assert(std::in_range<std::uint32_t>(graph.neighbours.size()) && "too many edges");
    constexpr double most = 0x1p52;  // half the limit of exact sums: rounding to float may add
    double sum = 0.0;
    for (const std::uint64_t weight : graph.weights) sum += static_cast<double>(weight);
    const double cost = sum * std::max(farthest, 1.0);
    const double scale = cost > most ? most / cost : 1.0;
    first.reserve(graph.first.size());
    neighbours.reserve(graph.neighbours.size());
    weights.reserve(graph.neighbours.size());
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            // A whole number stays whole when it is rounded to a float.
            const auto weight =
                static_cast<float>(std::round(static_cast<double>(graph.weights[i]) * scale));
            if (weight == 0.0F) continue;
            neighbours.push_back(graph.neighbours[i]);
            weights.push_back(weight);
        }
        first.push_back(static_cast<std::uint32_t>(neighbours.size()));
    }
}

bool has_hubs(const CsrGraph& graph) {
    std::uint32_t most = 0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
        most = std::max(most, graph.first[v + 1] - graph.first[v]);
    return std::uint64_t{most} * graph.num_vertices() > std::uint64_t{8} * graph.neighbours.size();
}

bool is_hard(const CsrGraph& graph) {
    constexpr double many = 3.0;
    double sum = 0.0;
    double squares = 0.0;
    double vertices = 0.0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v) {
        const auto degree = static_cast<double>(graph.first[v + 1] - graph.first[v]);
        sum += degree;
        squares += degree * degree;
        if (degree > 0.0) vertices += 1.0;
    }
    return squares * vertices > many * sum * sum;
}

std::vector<std::uint32_t> breadth_first_order(const CsrGraph& graph) {
    const std::uint32_t n = graph.num_vertices();
    std::vector<std::uint32_t> order;
    order.reserve(n);
    std::vector<bool> seen(n, false);
    for (std::uint32_t start = 0; start < n; ++start) {
        if (seen[start]) continue;
        seen[start] = true;
        order.push_back(start);
        for (std::size_t next = order.size() - 1; next < order.size(); ++next) {
            for (const std::uint32_t u : graph.neighbours_of(order[next])) {
                if (seen[u]) continue;
                seen[u] = true;
                order.push_back(u);
            }
        }
    }
    return order;
}

namespace {

/// Returns the graph of these vertices.
/// @param vertices  in the order of their new numbers
/// @param number    by vertex of the graph, its new number; no_id: the vertex is left out
CsrGraph graph_of_numbered(const CsrGraph& graph, std::span<const std::uint32_t> vertices,
                           std::span<const std::uint32_t> number) {
    CsrGraph part;
    std::size_t ends = 0;
    for (const std::uint32_t v : vertices) ends += graph.neighbours_of(v).size();
    part.first.reserve(vertices.size() + 1);
    part.neighbours.resize(ends);
    part.weights.resize(ends);
    part.sizes.reserve(vertices.size());
    std::size_t end = 0;
    for (const std::uint32_t v : vertices) {
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t to = number[graph.neighbours[i]];
            part.neighbours[end] = to;
            part.weights[end] = graph.weights[i];
            end += static_cast<std::size_t>(to != no_id);  // a branch would be unpredictable
        }
        part.first.push_back(static_cast<std::uint32_t>(end));
        part.sizes.push_back(graph.sizes[v]);
    }
    part.neighbours.resize(end);
    part.weights.resize(end);
    return part;
}

}  // namespace

CsrGraph graph_of(const CsrGraph& graph, std::span<const std::uint32_t> vertices,
                  std::span<std::uint32_t> number) {
    assert(number.size() == graph.num_vertices() && "a number for each vertex");
    for (std::uint32_t i = 0; i < vertices.size(); ++i) number[vertices[i]] = i;
    CsrGraph part = graph_of_numbered(graph, vertices, number);
    for (const std::uint32_t v : vertices) number[v] = no_id;
    return part;
}

std::vector<std::uint32_t> numbers_on_side(std::span<const std::uint8_t> sides, std::uint8_t side) {
    std::vector<std::uint32_t> number;
    number.reserve(sides.size());
    std::uint32_t count = 0;
    for (const std::uint8_t of_vertex : sides)
        number.push_back(of_vertex == side ? count++ : no_id);
    return number;
}

CsrGraph graph_of_side(const CsrGraph& graph, std::span<const std::uint8_t> sides,
                       std::uint8_t side) {
    std::vector<std::uint32_t> vertices;
    vertices.reserve(sides.size());
    for (std::uint32_t v = 0; v < sides.size(); ++v)
        if (sides[v] == side) vertices.push_back(v);
    return graph_of_numbered(graph, vertices, numbers_on_side(sides, side));
}

}  // namespace commmap
