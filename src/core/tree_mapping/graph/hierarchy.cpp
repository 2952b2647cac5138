// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/graph/hierarchy.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace commmap {
namespace {

constexpr double stuck = 0.95;  ///< a graph that shrinks less is not coarsened further
/// A side inherits no level that shrinks less: too many pairs came apart there.
constexpr double apart = 0.75;

}  // namespace

void Hierarchy::coarsen(std::uint32_t down_to, Random& random, Step step,
                        std::span<const std::uint32_t> labels) {
    assert(down_to > 0);
    assert((labels.empty() || levels_.empty()) && "labels are of the finest graph");
    const auto max_size = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(2, finest_->num_ranks() * 3 / (2 * std::uint64_t{down_to})));
    while (!levels_.empty() && graph(levels_.size() - 1).num_vertices() <= down_to)
        levels_.pop_back();
    std::vector<std::uint32_t> coarse_labels;
    while (coarsest().num_vertices() > down_to) {
        const bool twice = step == Step::four && labels.empty() &&
                           coarsest().num_vertices() > 4 * std::uint64_t{down_to};
        Coarsened coarser = twice ? coarsen_twice(coarsest(), max_size, random)
                                  : commmap::coarsen(coarsest(), max_size, random, labels);
        const bool no_use = coarser.graph.num_vertices() > stuck * coarsest().num_vertices();
        levels_.push_back(std::move(coarser));
        if (no_use) break;
        if (labels.empty()) continue;
        coarse_labels = to_coarser(levels_.size() - 1, labels);
        labels = coarse_labels;
    }
}

Hierarchy Hierarchy::of_side(const CsrGraph& finest, std::span<const std::uint8_t> sides,
                             std::uint8_t side) const {
    Hierarchy part(finest);
    Kept kept = numbers_on_side(sides, side);
    part.levels_.reserve(levels_.size());
    for (const Coarsened& level : levels_) {
        Coarsened coarser = coarsened_part(level, part.coarsest(), kept);
        if (coarser.graph.num_vertices() > apart * part.coarsest().num_vertices()) break;
        part.levels_.push_back(std::move(coarser));
    }
    return part;
}

}  // namespace commmap
