// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/handover/pmi2_map.hpp"

#include <algorithm>
#include <vector>

namespace commmap::spank {
namespace {

struct Block {
    std::size_t first_node;
    std::size_t nodes;
    std::size_t ranks;  ///< on each node
};

}  // namespace

std::optional<std::string> pmi2_map(std::span<const std::uint32_t> node_of_rank) {
    std::vector<std::uint32_t> used(node_of_rank.begin(), node_of_rank.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<Block> blocks;
    for (std::size_t rank = 0; rank < node_of_rank.size();) {
        std::size_t end = rank + 1;
        while (end < node_of_rank.size() && node_of_rank[end] == node_of_rank[rank]) ++end;
        const auto place = std::lower_bound(used.begin(), used.end(), node_of_rank[rank]);
        const auto node = static_cast<std::size_t>(place - used.begin());
        const std::size_t ranks = end - rank;
        if (!blocks.empty() && blocks.back().ranks == ranks &&
            blocks.back().first_node + blocks.back().nodes == node) {
            ++blocks.back().nodes;
        } else {
            blocks.push_back({node, 1, ranks});
        }
        rank = end;
    }
    std::string text = "(vector";
    for (const Block& block : blocks) {
        text += ",(" + std::to_string(block.first_node) + "," + std::to_string(block.nodes) + "," +
                std::to_string(block.ranks) + ")";
        if (text.size() >= longest_pmi_value) return std::nullopt;
    }
    return text + ")";
}

}  // namespace commmap::spank
