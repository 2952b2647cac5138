#pragma once

#include <span>
#include <utility>

#include "core/mapping/construction/linear.hpp"
#include "core/mapping/improvement/equal_placements.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Improves a placement by exchanges (swaps of two ranks, moves to free PUs) that lower the time
/// of the problem (without steps: the cost of the busiest port) or, that being equal, the sum of
/// the squares of all ports' costs.
///
/// Small problems: descent over all exchanges, then kicks and restarts from random placements.
/// Larger ones: descent over sampled exchanges, half of them about ranks whose traffic loads the
/// busiest port, then kicks. A search ends when forty kicks in a row have found nothing better, or
/// its budget is used up. Above 128 ranks it sees the additive surrogate of PortCostState.
///
/// @param start    fits the problem, rank 0 where it has to be; asserted
/// @return  a placement whose time is at most the start's: the better of the two, judged by
/// port_cost() of each part of the run. Rank 0 never leaves the node that the problem asks for.
/// Cost: at most default_refine_evaluations() evaluations, see PortCostState. Deterministic: the
/// budget counts evaluations. Source: iterated local search, Lourenco, Martin, Stuetzle, Handbook
/// of Metaheuristics, 2003; the objective is that of Sweeney et al., Sec. 5, whose Sec. 4
/// (Discussion) leaves such a search to future work.
[[nodiscard]] std::vector<PuId> refine(const MappingProblem& problem, const MapperOptions& options,
                                       std::span<const PuId> start);

/// Evaluations when MapperOptions::max_evaluations is 0.
[[nodiscard]] std::uint64_t default_refine_evaluations(std::size_t num_ranks);

/// refine() of a mapping; notes stay, and the mapping tells how the search went (cut_short,
/// evaluations).
/// @param searched  where other searches came to rest; nullptr: nowhere. A search whose first
///                  descent ends at one of them, or at an equal one, ends there. What this search
///                  finds is added.
[[nodiscard]] Mapping refine_mapping(const MappingProblem& problem, const MapperOptions& options,
                                     Mapping mapping, SearchedPlacements* searched = nullptr);

/// A mapper, or linear where that costs less, as in a plan; then refine(). Notes and errors are the
/// mapper's.
template <auto Map>
[[nodiscard]] Result<Mapping> refined(const MappingProblem& problem, const MapperOptions& options) {
    Result<Mapping> mapping = Map(problem, options);
    if (!mapping) return mapping;
    fall_back_to_linear(problem, mapping.value());
    return refine_mapping(problem, options, std::move(mapping).value());
}

}  // namespace commmap
