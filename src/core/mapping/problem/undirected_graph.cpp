// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/problem/undirected_graph.hpp"

namespace commmap {

WeightedGraph undirected_graph(const CommGraph& graph) {
    return undirected_graph(
        graph, [](const Traffic& t) { return t.bytes; }, [](std::uint64_t bytes) { return bytes; });
}

}  // namespace commmap
