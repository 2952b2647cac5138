// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <utility>

#include "core/mapping/construction/linear.hpp"
#include "core/mapping/improvement/equal_placements.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Improves a placement by local search. An exchange (two ranks swap, or a rank moves to a free PU)
/// is kept when it lowers the predicted run time. Without known steps, that is the cost of the
/// busiest port. At equal times, an exchange is kept when it lowers the sum of the squares of all
/// ports' costs.
///
/// - Small problems: descent over all exchanges, then kicks, and restarts from random placements.
/// - Larger problems: descent over sampled exchanges, half of them about ranks whose traffic loads
///   the busiest port, then kicks.
/// - A search ends after forty kicks in a row without success, or when its budget is used up.
/// - Above 128 ranks the search lowers the additive surrogate of PortCostState.
///
/// @param start  fits the problem, with rank 0 where it has to be (asserted)
/// @return       a placement whose time is at most the start's: the better of the two, judged by
///               port_cost() of each part of the run. Rank 0 never leaves the node that the problem
///               asks for.
/// Cost: at most default_refine_evaluations() evaluations, see PortCostState.
/// Deterministic: the budget counts evaluations.
/// Source: iterated local search, Lourenco, Martin, Stuetzle, Handbook of Metaheuristics, 2003. The
/// objective is that of Sweeney et al., Sec. 5; their Sec. 4 (Discussion) leaves such a search to
/// future work.
[[nodiscard]] std::vector<PuId> refine(const MappingProblem& problem, const MapperOptions& options,
                                       std::span<const PuId> start);

/// Returns the number of evaluations when MapperOptions::max_evaluations is 0.
[[nodiscard]] std::uint64_t default_refine_evaluations(std::size_t num_ranks);

/// Calls refine() on a mapping. Its notes stay; cut_short and evaluations tell how the search went.
/// @param searched  placements at which other searches ended; nullptr: none. When the first descent
///                  ends at one of them, or at an equal one, this search ends there too. The
///                  placement that this search finds is added.
[[nodiscard]] Mapping refine_mapping(const MappingProblem& problem, const MapperOptions& options,
                                     Mapping mapping, SearchedPlacements* searched = nullptr);

/// Calls a mapper, replaces its placement by linear's when that costs less, and refines the result,
/// as a plan does.
/// Notes and errors: the mapper's.
template <auto Map>
[[nodiscard]] Result<Mapping> refined(const MappingProblem& problem, const MapperOptions& options) {
    Result<Mapping> mapping = Map(problem, options);
    if (!mapping) return mapping;
    fall_back_to_linear(problem, mapping.value());
    return refine_mapping(problem, options, std::move(mapping).value());
}

}  // namespace commmap
