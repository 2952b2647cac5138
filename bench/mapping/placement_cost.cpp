// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "placement_cost.hpp"

#include <algorithm>
#include <cstddef>

namespace commmap::bench {

std::string mapping_problem(std::uint32_t ranks, std::span<const std::uint64_t> pu_of_rank,
                            const std::vector<bool>& available) {
    if (pu_of_rank.size() != ranks)
        return "has " + std::to_string(pu_of_rank.size()) + " lines, the graph has " +
               std::to_string(ranks) + " ranks";
    std::vector<bool> taken(available.size(), false);
    for (std::size_t rank = 0; rank < pu_of_rank.size(); ++rank) {
        const std::uint64_t pu = pu_of_rank[rank];
        const auto problem = [&](const std::string& what) {
            return "line " + std::to_string(rank + 1) + ": PU " + std::to_string(pu) + what;
        };
        if (pu >= available.size())
            return problem(" does not exist, there are " + std::to_string(available.size()));
        if (!available[pu]) return problem(" is not available");
        if (taken[pu]) return problem(" is taken by an earlier rank");
        taken[pu] = true;
    }
    return "";
}

Wide hop_bytes(const Graph& graph, const TreeSpec& tree,
               std::span<const std::uint64_t> pu_of_rank) {
    Wide sum = 0;
    for (std::uint32_t rank = 0; rank < graph.num_ranks(); ++rank)
        for (const Neighbour& to : graph.neighbours(rank))
            if (rank < to.rank)
                sum += Wide{to.weight} * tree.distance(pu_of_rank[rank], pu_of_rank[to.rank]);
    return sum;
}

Wide port_cost_doubled(const Graph& graph, const TreeSpec& tree,
                       std::span<const std::uint64_t> pu_of_rank) {
    Wide most = 0;
    for (std::size_t k = 0; k < tree.height(); ++k) {
        const std::uint64_t pus = tree.pus_of_group[k];
        std::vector<Wide> load(tree.num_pus() / pus, 0);
        for (std::uint32_t rank = 0; rank < graph.num_ranks(); ++rank) {
            const std::uint64_t own = pu_of_rank[rank] / pus;
            for (const Neighbour& to : graph.neighbours(rank))
                if (pu_of_rank[to.rank] / pus != own) load[own] += to.weight;
        }
        const Wide largest = *std::max_element(load.begin(), load.end());
        most = std::max(most, largest * (tree.distances[k + 1] - tree.distances[k]));
    }
    return most;
}

Wide process_time(const Graph& graph, const TreeSpec& tree,
                  std::span<const std::uint64_t> pu_of_rank) {
    Wide most = 0;
    for (std::uint32_t rank = 0; rank < graph.num_ranks(); ++rank) {
        Wide sum = 0;
        for (const Neighbour& to : graph.neighbours(rank))
            sum += Wide{to.weight} * tree.distance(pu_of_rank[rank], pu_of_rank[to.rank]);
        most = std::max(most, sum);
    }
    return most;
}

std::vector<std::uint64_t> used_groups(const TreeSpec& tree,
                                       std::span<const std::uint64_t> pu_of_rank) {
    std::vector<std::uint64_t> counts;
    for (std::size_t h = 1; h <= tree.height(); ++h) {
        std::vector<bool> used(tree.num_pus() / tree.pus_of_group[h], false);
        for (const std::uint64_t pu : pu_of_rank) used[pu / tree.pus_of_group[h]] = true;
        counts.push_back(static_cast<std::uint64_t>(std::count(used.begin(), used.end(), true)));
    }
    return counts;
}

}  // namespace commmap::bench
