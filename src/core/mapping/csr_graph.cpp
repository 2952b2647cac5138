#include "core/mapping/csr_graph.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace commmap {

CsrGraph::CsrGraph(const WeightedGraph& graph, double farthest) : sizes(graph.num_vertices(), 1) {
    assert(std::in_range<std::uint32_t>(graph.neighbours.size()) && "too many edges");
    constexpr double most = 0x1p52;  // half of what is exact: rounding to 24 bits adds a little
    double sum = 0.0;
    for (const std::uint64_t weight : graph.weights) sum += static_cast<double>(weight);
    const double cost = sum * std::max(farthest, 1.0);
    const double scale = cost > most ? most / cost : 1.0;
    first.reserve(graph.first.size());
    neighbours.reserve(graph.neighbours.size());
    weights.reserve(graph.neighbours.size());
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            // The float of a whole number is one too.
            const auto weight =
                static_cast<float>(std::round(static_cast<double>(graph.weights[i]) * scale));
            if (weight == 0.0F) continue;
            neighbours.push_back(graph.neighbours[i]);
            weights.push_back(weight);
        }
        first.push_back(static_cast<std::uint32_t>(neighbours.size()));
    }
}

}  // namespace commmap
