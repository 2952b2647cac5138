#include "core/mapping/csr_graph.hpp"

#include <cassert>
#include <utility>

namespace commmap {

CsrGraph::CsrGraph(const WeightedGraph& graph) : sizes(graph.num_vertices(), 1) {
    assert(std::in_range<std::uint32_t>(graph.neighbours.size()) && "too many edges");
    first.reserve(graph.first.size());
    neighbours.reserve(graph.neighbours.size());
    weights.reserve(graph.neighbours.size());
    for (std::size_t v = 0; v < graph.num_vertices(); ++v) {
        for (std::size_t i = graph.first[v]; i < graph.first[v + 1]; ++i) {
            if (graph.weights[i] == 0) continue;
            neighbours.push_back(graph.neighbours[i]);
            weights.push_back(static_cast<float>(graph.weights[i]));
        }
        first.push_back(static_cast<std::uint32_t>(neighbours.size()));
    }
}

}  // namespace commmap
