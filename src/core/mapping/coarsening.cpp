#include "core/mapping/coarsening.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/ids.hpp"

namespace commmap {
namespace {

constexpr std::uint32_t degree_classes = 64;  // more neighbours than that are as good as any

/// Few neighbours first, else random.
std::vector<std::uint32_t> visiting_order(const CsrGraph& graph, Random& random) {
    const std::uint32_t n = graph.num_vertices();
    std::vector<std::uint32_t> shuffled(n);
    std::iota(shuffled.begin(), shuffled.end(), 0U);
    shuffle(std::span(shuffled), random);
    const auto class_of = [&](std::uint32_t v) {
        return std::min(graph.first[v + 1] - graph.first[v], degree_classes - 1);
    };
    std::array<std::uint32_t, degree_classes + 1> next{};
    for (std::uint32_t v = 0; v < n; ++v) ++next[class_of(v) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(n);
    for (const std::uint32_t v : shuffled) order[next[class_of(v)]++] = v;
    return order;
}

/// Of each vertex the other one of its pair, or itself.
std::vector<std::uint32_t> heavy_pairs(const CsrGraph& graph, std::uint32_t max_size,
                                       Random& random, std::span<const std::uint32_t> labels) {
    std::vector<std::uint32_t> partner(graph.num_vertices(), no_id);
    for (const std::uint32_t v : visiting_order(graph, random)) {
        if (partner[v] != no_id) continue;
        std::uint32_t best = v;
        float heaviest = 0.0F;
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t u = graph.neighbours[i];
            if (graph.weights[i] > heaviest && partner[u] == no_id &&
                (labels.empty() || labels[u] == labels[v]) &&
                graph.sizes[u] + graph.sizes[v] <= max_size) {
                heaviest = graph.weights[i];
                best = u;
            }
        }
        partner[v] = best;
        partner[best] = v;
    }
    return partner;
}

/// Most neighbours that a pair has.
std::uint32_t longest_row(const CsrGraph& graph, const std::vector<std::uint32_t>& partner) {
    std::uint32_t most = 0;
    for (std::uint32_t v = 0; v < partner.size(); ++v) {
        const std::uint32_t u = partner[v];
        most = std::max(most,
                        graph.first[v + 1] - graph.first[v] + graph.first[u + 1] - graph.first[u]);
    }
    return most;
}

}  // namespace

Coarsened coarsen(const CsrGraph& graph, std::uint32_t max_size, Random& random,
                  std::span<const std::uint32_t> labels) {
    const std::vector<std::uint32_t> partner = heavy_pairs(graph, max_size, random, labels);
    const std::uint32_t n = graph.num_vertices();
    Coarsened result;
    result.coarse_of.resize(n);
    std::vector<std::uint32_t> first_of;  // by coarse vertex, its lower one
    first_of.reserve(n);
    for (std::uint32_t v = 0; v < n; ++v) {
        if (partner[v] < v) continue;
        result.coarse_of[v] = result.coarse_of[partner[v]] =
            static_cast<std::uint32_t>(first_of.size());
        first_of.push_back(v);
    }
    CsrGraph& coarse = result.graph;
    coarse.first.reserve(first_of.size() + 1);
    coarse.sizes.reserve(first_of.size());
    coarse.neighbours.reserve(graph.neighbours.size());
    coarse.weights.reserve(graph.neighbours.size());
    // One row at a time, the pair itself in front; where a neighbour stands in it.
    std::vector<std::uint32_t> row(longest_row(graph, partner) + 2);
    std::vector<float> row_weights(row.size());
    std::vector<std::uint32_t> place_of(first_of.size(), 0);
    for (std::uint32_t c = 0; c < first_of.size(); ++c) {
        std::uint32_t length = 1;
        row[0] = c;
        row_weights[1] = 0.0F;
        place_of[c] = 0;
        std::uint32_t v = first_of[c];
        std::uint32_t size = 0;
        while (true) {
            size += graph.sizes[v];
            const std::span<const std::uint32_t> neighbours = graph.neighbours_of(v);
            const std::span<const float> weights = graph.weights_of(v);
            for (std::size_t i = 0; i < neighbours.size(); ++i) {
                const std::uint32_t to = result.coarse_of[neighbours[i]];
                // No branches, for which are taken cannot be foretold: the place behind the last
                // one has weight 0.
                const std::uint32_t last = place_of[to];
                const bool known = (last < length) & (row[last] == to);
                const std::uint32_t place = known ? last : length;
                row[place] = to;
                row_weights[place] += weights[i];
                place_of[to] = place;
                length += static_cast<std::uint32_t>(!known);
                row_weights[length] = 0.0F;
            }
            if (v == partner[first_of[c]]) break;
            v = partner[first_of[c]];
        }
        coarse.neighbours.insert(coarse.neighbours.end(), row.data() + 1, row.data() + length);
        coarse.weights.insert(coarse.weights.end(), row_weights.data() + 1,
                              row_weights.data() + length);
        coarse.first.push_back(static_cast<std::uint32_t>(coarse.neighbours.size()));
        coarse.sizes.push_back(size);
    }
    return result;
}

}  // namespace commmap
