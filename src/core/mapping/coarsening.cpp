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
    for (std::uint32_t i = n; i > 1; --i)
        std::swap(shuffled[i - 1], shuffled[static_cast<std::uint32_t>(random.below(i))]);
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
                                       Random& random) {
    std::vector<std::uint32_t> partner(graph.num_vertices(), no_id);
    for (const std::uint32_t v : visiting_order(graph, random)) {
        if (partner[v] != no_id) continue;
        std::uint32_t best = v;
        float heaviest = 0.0F;
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            const std::uint32_t u = graph.neighbours[i];
            if (graph.weights[i] > heaviest && partner[u] == no_id &&
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

}  // namespace

Coarsened coarsen(const CsrGraph& graph, std::uint32_t max_size, Random& random) {
    const std::vector<std::uint32_t> partner = heavy_pairs(graph, max_size, random);
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
    std::vector<std::uint32_t> entry_of(first_of.size(), 0);  // where a neighbour stands in its row
    for (std::uint32_t c = 0; c < first_of.size(); ++c) {
        const auto begin = static_cast<std::uint32_t>(coarse.neighbours.size());
        std::uint32_t v = first_of[c];
        std::uint32_t size = 0;
        while (true) {
            size += graph.sizes[v];
            for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
                const std::uint32_t to = result.coarse_of[graph.neighbours[i]];
                if (to == c) continue;
                const std::uint32_t entry = entry_of[to];
                if (entry >= begin && entry < coarse.neighbours.size() &&
                    coarse.neighbours[entry] == to) {
                    coarse.weights[entry] += graph.weights[i];
                    continue;
                }
                entry_of[to] = static_cast<std::uint32_t>(coarse.neighbours.size());
                coarse.neighbours.push_back(to);
                coarse.weights.push_back(graph.weights[i]);
            }
            if (v == partner[first_of[c]]) break;
            v = partner[first_of[c]];
        }
        coarse.first.push_back(static_cast<std::uint32_t>(coarse.neighbours.size()));
        coarse.sizes.push_back(size);
    }
    return result;
}

}  // namespace commmap
