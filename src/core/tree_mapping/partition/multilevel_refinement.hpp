// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/base/random.hpp"
#include "core/tree_mapping/partition/part_refinement.hpp"

namespace commmap {

/// Refines the parts of a graph, also by moving groups of vertices.
/// The graph is coarsened within the parts. The coarsest graph's parts are refined, then those of
/// the next finer graph, and so on.
/// Sizes are exact in the end if each vertex is one rank. Nothing becomes worse. When the deadline
/// passes, parts stay as they were.
///
/// Cost: O(edges) and a refinement for each level.
/// Source: iterated multilevel search: Walshaw, "Multilevel refinement for combinatorial
/// optimisation problems", Annals of Operations Research 131, 2004, Sec. 2.3.
void refine_multilevel(PartRefinement& refinement, const PartRefinement::Problem& problem,
                       const PartRefinement::Effort& effort, Random& random, Parts& part_of,
                       const Deadline& deadline = {});

}  // namespace commmap
