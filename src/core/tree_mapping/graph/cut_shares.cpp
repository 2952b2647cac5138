// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/cut_shares.hpp"

namespace commmap {
namespace {

constexpr double many_edges = 0.12;  ///< a large cut of two parts has a larger share of edges
constexpr double much_weight = 0.03;

template <class Part>
CutShares shares_of(const CsrGraph& graph, std::span<const Part> part_of) {
    double all = 0.0;
    double cut = 0.0;
    std::size_t count = 0;
    for (std::uint32_t v = 0; v < graph.num_vertices(); ++v) {
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const auto weight = static_cast<double>(graph.weights[i]);
            all += weight;
            if (part_of[graph.neighbours[i]] == part_of[v]) continue;
            cut += weight;
            ++count;
        }
    }
    if (count == 0 || all <= 0.0) return {};
    const auto ends = static_cast<double>(count);
    return {ends / static_cast<double>(graph.neighbours.size()), cut / all, cut / 2, cut / ends};
}

}  // namespace

bool CutShares::are_large(std::size_t num_parts) const {
    // The share of edges that random parts would cut, divided by that of two random parts.
    const double at_random = 2.0 - 2.0 / static_cast<double>(num_parts);
    return edges > many_edges * at_random && weight > much_weight * at_random;
}

CutShares cut_shares(const CsrGraph& graph, std::span<const std::uint32_t> part_of) {
    return shares_of(graph, part_of);
}

CutShares cut_shares(const CsrGraph& graph, std::span<const std::uint8_t> side_of) {
    return shares_of(graph, side_of);
}

}  // namespace commmap
