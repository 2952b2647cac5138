// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// 1,024 ranks exchange the borders of a 32 x 32 grid and are numbered badly: puts them where the
// busiest link has little to carry. Fails when ranks in order are as good.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "commmap/map_ranks.hpp"

commmap::Result<commmap::RankMapping> place(const std::vector<commmap::WeightedEdge>& edges) {
    const auto graph = commmap::graph_of_edges(1024, edges);
    if (!graph) return graph.error();
    const std::vector<std::uint32_t> arities{8, 2, 8, 8};  // PUs, packages, nodes, racks
    const std::vector<std::uint64_t> distances{1, 10, 100, 1000};
    const auto machine = commmap::MachineTree::make(arities, distances);
    if (!machine) return machine.error();
    commmap::MapSettings settings;
    settings.objective = commmap::Objective::port_cost;
    settings.threads = 2;
    settings.deadline = commmap::Deadline::after(10.0);  // seconds
    return commmap::map_ranks(graph.value(), machine.value(), settings);
}

int main() {
    std::vector<commmap::WeightedEdge> edges;  // rank, rank, bytes
    const auto rank_of = [](std::uint32_t point) { return point * 389 % 1024; };
    for (std::uint32_t point = 0; point < 1024; ++point) {
        if (point % 32 < 31) edges.push_back({rank_of(point), rank_of(point + 1), 65536});
        if (point / 32 < 31) edges.push_back({rank_of(point), rank_of(point + 32), 65536});
    }
    const auto mapping = place(edges);
    if (!mapping) {
        std::fprintf(stderr, "map_ranks: %s\n", mapping.error().message.c_str());
        return 1;
    }
    const commmap::PlacementFigures& before = mapping.value().candidates.front().figures;
    const commmap::PlacementFigures& after = mapping.value().figures;
    std::printf("port cost %.3g in order, %.3g as placed\n", before.port_cost, after.port_cost);
    std::printf("hop-bytes %.3g in order, %.3g as placed\n", before.hop_bytes, after.hop_bytes);
    return after.port_cost < before.port_cost ? 0 : 1;
}
