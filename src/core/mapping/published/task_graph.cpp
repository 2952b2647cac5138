// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/published/task_graph.hpp"

#include <map>

#include "commmap/ids.hpp"

namespace commmap {

CoarseTaskGraph heavy_edge_matching(const TaskGraph& graph, std::span<const std::uint32_t> order,
                                    std::uint32_t most_processes) {
    const WeightedGraph& fine = graph.edges;
    CoarseTaskGraph coarse{{}, std::vector<std::uint32_t>(graph.num_vertices(), no_id)};
    std::vector<std::vector<std::uint32_t>> members;
    for (const std::uint32_t v : order) {
        if (coarse.coarse_of[v] != no_id) continue;
        std::uint32_t partner = no_id;
        std::uint64_t heaviest = 0;
        for (std::size_t i = fine.first[v]; i < fine.first[v + 1]; ++i) {
            const std::uint32_t u = fine.neighbours[i];
            if (coarse.coarse_of[u] != no_id ||
                graph.processes[v] + graph.processes[u] > most_processes)
                continue;
            const std::uint64_t weight = fine.weights[i];
            if (partner != no_id && (weight < heaviest || (weight == heaviest && u > partner)))
                continue;
            partner = u;
            heaviest = weight;
        }
        const auto made = static_cast<std::uint32_t>(members.size());
        members.push_back({v});
        coarse.coarse_of[v] = made;
        if (partner == no_id) continue;
        members.back().push_back(partner);
        coarse.coarse_of[partner] = made;
    }
    for (const std::vector<std::uint32_t>& joined : members) {
        std::uint32_t processes = 0;
        std::map<std::uint32_t, std::uint64_t> row;
        for (const std::uint32_t v : joined) {
            processes += graph.processes[v];
            for (std::size_t i = fine.first[v]; i < fine.first[v + 1]; ++i) {
                const std::uint32_t other = coarse.coarse_of[fine.neighbours[i]];
                if (other != coarse.coarse_of[v]) row[other] += fine.weights[i];
            }
        }
        coarse.graph.processes.push_back(processes);
        WeightedGraph& edges = coarse.graph.edges;
        for (const auto& [neighbour, weight] : row) {
            edges.neighbours.push_back(neighbour);
            edges.weights.push_back(weight);
        }
        edges.first.push_back(edges.neighbours.size());
    }
    return coarse;
}

}  // namespace commmap
