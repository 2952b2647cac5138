// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/move_table.hpp"

#include <fmt/core.h>

#include <cassert>
#include <utility>

#include "core/text/ranges.hpp"
#include "core/text/text_table.hpp"

namespace commmap {
namespace {

constexpr std::size_t most_rows = 16;
constexpr std::size_t widest_cell = 36;

using RanksOfNode = std::vector<std::vector<RankId>>;

RanksOfNode ranks_of_nodes(const Hct& hct, Placement placement) {
    RanksOfNode ranks(hct.num_nodes());
    for (RankId rank = 0; rank < placement.size(); ++rank)
        ranks[hct.pu(placement[rank]).node].push_back(rank);
    return ranks;
}

/// Formats ranks: 0 1 2 5 -> "0-2 5". A text that is too long for a cell ends in the number of
/// ranks.
std::string ranges(const std::vector<RankId>& ranks) {
    std::string text;
    for (const std::string& range : ranges_of(ranks)) {
        if (text.size() + range.size() + 1 > widest_cell)
            return fmt::format("{} ... ({} ranks)", text, ranks.size());
        text += (text.empty() ? "" : " ") + range;
    }
    return text.empty() ? "-" : text;
}

std::string counted(std::size_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> move_table(const Hct& hct, Placement before, Placement after) {
    assert(before.size() == after.size());
    std::size_t to_other_node = 0;
    std::size_t to_other_pu = 0;
    for (std::size_t rank = 0; rank < after.size(); ++rank) {
        if (hct.pu(before[rank]).node != hct.pu(after[rank]).node) {
            ++to_other_node;
        } else if (before[rank] != after[rank]) {
            ++to_other_pu;
        }
    }
    const RanksOfNode old_ranks = ranks_of_nodes(hct, before);
    const RanksOfNode new_ranks = ranks_of_nodes(hct, after);
    std::vector<NodeId> changed;
    for (NodeId node = 0; node < hct.num_nodes(); ++node) {
        if (old_ranks[node] != new_ranks[node]) changed.push_back(node);
    }

    std::vector<std::string> lines;
    lines.push_back(fmt::format(
        "{} of {} to another node{}", to_other_node, counted(after.size(), "rank"),
        to_other_pu == 0 ? "" : fmt::format(", {} to another CPU of the same node", to_other_pu)));
    if (changed.empty()) return lines;
    const std::size_t shown = changed.size() <= most_rows ? changed.size() : most_rows - 1;
    std::vector<std::vector<std::string>> rows = {{"node", "ranks by Slurm", "ranks as planned"}};
    for (std::size_t i = 0; i < shown; ++i) {
        const NodeId node = changed[i];
        rows.push_back({hct.node(node).name, ranges(old_ranks[node]), ranges(new_ranks[node])});
    }
    for (std::string& line : aligned(rows)) lines.push_back(std::move(line));
    if (changed.size() > shown)
        lines.push_back(fmt::format("... and {} with other ranks",
                                    counted(changed.size() - shown, "more node")));
    if (changed.size() < hct.num_nodes())
        lines.push_back(counted(hct.num_nodes() - changed.size(), "node") + " with the same ranks");
    return lines;
}

}  // namespace commmap
