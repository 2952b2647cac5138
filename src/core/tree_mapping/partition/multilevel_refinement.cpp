// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/multilevel_refinement.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/tree_mapping/graph/hierarchy.hpp"

namespace commmap {
namespace {

/// Vertices of the coarsest graph for each part. With fewer, vertices would be too large to move.
constexpr std::size_t vertices_of_part = 40;

/// Returns by level and vertex the weight of the edges to outside of the graph.
std::vector<std::vector<double>> outside_of_levels(const Hierarchy& hierarchy,
                                                   std::span<const double> outside) {
    std::vector<std::vector<double>> levels(hierarchy.num_levels() + 1);
    if (outside.empty()) return levels;
    levels[0].assign(outside.begin(), outside.end());
    for (std::size_t level = 0; level < hierarchy.num_levels(); ++level) {
        levels[level + 1].assign(hierarchy.graph(level + 1).num_vertices(), 0.0);
        for (std::size_t v = 0; v < levels[level].size(); ++v)
            levels[level + 1][hierarchy.coarse_of(level)[v]] += levels[level][v];
    }
    return levels;
}

}  // namespace

void refine_multilevel(PartRefinement& refinement, const PartRefinement::Problem& problem,
                       const PartRefinement::Effort& effort, Random& random, Parts& part_of,
                       const Deadline& deadline) {
    const auto down_to = static_cast<std::uint32_t>(problem.targets.size() * vertices_of_part);
    const Hierarchy hierarchy(problem.graph, down_to, random, Hierarchy::Step::two, part_of);
    const auto outside = outside_of_levels(hierarchy, problem.outside);
    Parts parts = part_of;
    for (std::size_t level = 0; level < hierarchy.num_levels(); ++level)
        parts = hierarchy.to_coarser(level, std::span<const std::uint32_t>(parts));
    for (std::size_t level = hierarchy.num_levels();; --level) {
        const CsrGraph& graph = hierarchy.graph(level);
        const std::uint32_t largest = *std::max_element(graph.sizes.begin(), graph.sizes.end());
        refinement.refine({graph, problem.targets, largest > 1 ? largest : problem.tolerance,
                           problem.potential, outside[level]},
                          effort, parts, deadline);
        if (deadline.passed()) return;
        if (level == 0) break;
        parts = hierarchy.to_finer(level - 1, std::span<const std::uint32_t>(parts));
    }
    if (problem.tolerance == 0) refinement.fill_exactly(problem, parts);
    if (PartRefinement::potential_of(problem, parts) <
        PartRefinement::potential_of(problem, part_of))
        part_of = std::move(parts);
}

}  // namespace commmap
