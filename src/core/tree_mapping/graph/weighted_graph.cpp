// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "commmap/weighted_graph.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>

namespace commmap {
namespace {

/// Makes a graph of entries. Entries may come in any order of rows; those of one row keep their
/// order.
/// @param for_each_entry  calls its argument with (row, neighbour, weight) of each entry; is called
///                        twice, and must give the same entries both times
template <class ForEachEntry>
WeightedGraph rows_of_entries(std::size_t num_vertices, const ForEachEntry& for_each_entry) {
    WeightedGraph graph;
    graph.first.assign(num_vertices + 1, 0);
    for_each_entry(
        [&](std::uint32_t row, std::uint32_t, std::uint64_t) { ++graph.first[row + 1]; });
    std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
    graph.neighbours.resize(graph.first.back());
    graph.weights.resize(graph.first.back());
    std::vector<std::size_t> next(graph.first.begin(), graph.first.end() - 1);
    for_each_entry([&](std::uint32_t row, std::uint32_t neighbour, std::uint64_t weight) {
        const std::size_t at = next[row]++;
        graph.neighbours[at] = neighbour;
        graph.weights[at] = weight;
    });
    return graph;
}

/// Returns a number as text, with the fewest digits that identify it: -1, 0.5, nan.
std::string shortest_text(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

Status check_edges(std::size_t num_ranks, std::span<const WeightedEdge> edges) {
    std::uint64_t sum = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto error = [e](Errc code, const std::string& what) {
            return Error{code, fmt::format("edge {}: {}", e, what)};
        };
        const auto& [a, b, weight] = edges[e];
        for (const RankId rank : {a, b}) {
            if (rank >= num_ranks)
                return error(
                    Errc::out_of_range,
                    fmt::format("rank {} is not below the number of ranks, {}", rank, num_ranks));
        }
        if (!std::isfinite(weight) || weight < 0.0 || weight != std::floor(weight))
            return error(Errc::invalid_input, fmt::format("weight {} is no whole number from 0 on",
                                                          shortest_text(weight)));
        if (a == b) continue;
        constexpr std::uint64_t too_much = std::uint64_t{1} << 63U;
        if (weight < 0x1p63) sum += static_cast<std::uint64_t>(weight);
        if (weight >= 0x1p63 || sum >= too_much)
            return error(Errc::out_of_range, "the weights of all edges add up to 2^63 or more");
    }
    return Ok{};
}

/// Joins entries of one row that have the same neighbour, and adds up their weights.
/// @pre rows are sorted
void add_up_in_rows(WeightedGraph& graph) {
    std::size_t size = 0;
    std::size_t i = 0;
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        const std::size_t row = size;
        for (; i < graph.first[v + 1]; ++i) {
            if (size > row && graph.neighbours[size - 1] == graph.neighbours[i]) {
                graph.weights[size - 1] += graph.weights[i];
                continue;
            }
            graph.neighbours[size] = graph.neighbours[i];
            graph.weights[size++] = graph.weights[i];
        }
        graph.first[v + 1] = size;
    }
    graph.neighbours.resize(size);
    graph.weights.resize(size);
}

}  // namespace

Result<WeightedGraph> graph_of_edges(std::size_t num_ranks, std::span<const WeightedEdge> edges) {
    if (num_ranks >= no_id)
        return Error{Errc::out_of_range,
                     fmt::format("{} ranks are too many: at most 2^32 - 2", num_ranks)};
    if (const Status checked = check_edges(num_ranks, edges); !checked) return checked.error();
    WeightedGraph graph = transposed(rows_of_entries(num_ranks, [&](const auto& entry) {
        for (const auto& [a, b, weight] : edges) {
            if (a == b) continue;
            entry(a, b, static_cast<std::uint64_t>(weight));
            entry(b, a, static_cast<std::uint64_t>(weight));
        }
    }));
    add_up_in_rows(graph);
    return graph;
}

WeightedGraph transposed(const WeightedGraph& graph) {
    return rows_of_entries(graph.num_vertices(), [&](const auto& entry) {
        for (std::uint32_t v = 0; v < graph.num_vertices(); ++v)
            for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i)
                entry(graph.neighbours[i], v, graph.weights[i]);
    });
}

}  // namespace commmap
