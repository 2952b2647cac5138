// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>
#include <optional>
#include <utility>

namespace commmap {

/// A solution of some problem, and its cost.
template <class Solution, class Cost>
struct CostedSolution {
    Solution solution;
    Cost cost;
};

/// Rules of an iterated local search: when it starts anew, when it ends, and from which solutions
/// it goes on.
struct KickRules {
    static constexpr unsigned never = std::numeric_limits<unsigned>::max();
    /// Kicks in a row without a solution cheaper than the current one; the next kick starts anew.
    unsigned restart_after = never;
    /// Kicks in a row without a solution cheaper than the best; the search ends then.
    unsigned end_after = never;
    /// The search also goes on from a solution of the same cost.
    bool takes_equal = false;
};

/// Kicks a solution out of its local optimum, descends again, and goes on from the result if that
/// is cheaper.
///
/// @param start       the end of a descent
/// @param is_cheaper  compares two costs; a strict order, up to rounding
/// @param goes_on     asked before each kick: false when the caller's budget is used up
/// @param next        gets the current solution, and whether to start anew. Kicks, descends, and
///                    returns an optional CostedSolution; none: the search stays at the current
///                    solution.
/// @return            the cheapest solution from which the search went on; start when none was
///                    cheaper
/// Cost: a copy of each solution from which the search goes on, beside the calls.
/// Source: Lourenco, Martin, Stuetzle, "Iterated local search", Handbook of Metaheuristics, 2003.
/// Differs from the chapter: after some kicks in vain the search goes on from a solution that
/// `next` makes anew, whatever its cost.
template <class Solution, class Cost, class IsCheaper, class GoesOn, class Next>
[[nodiscard]] CostedSolution<Solution, Cost> iterated_local_search(
    CostedSolution<Solution, Cost> start, const KickRules& rules, const IsCheaper& is_cheaper,
    const GoesOn& goes_on, const Next& next) {
    CostedSolution<Solution, Cost> best = start;
    CostedSolution<Solution, Cost> current = std::move(start);
    unsigned fruitless = 0;
    unsigned since_best = 0;
    while (since_best < rules.end_after && goes_on()) {
        const bool anew = fruitless >= rules.restart_after;
        std::optional<CostedSolution<Solution, Cost>> found = next(current.solution, anew);
        ++since_best;
        const bool is_gain = found && (anew || is_cheaper(found->cost, current.cost));
        fruitless = is_gain ? 0 : fruitless + 1;
        const bool is_taken =
            is_gain || (found && rules.takes_equal && !is_cheaper(current.cost, found->cost));
        if (!is_taken) continue;
        current = *std::move(found);
        if (!is_cheaper(current.cost, best.cost)) continue;
        best = current;
        since_best = 0;
    }
    return best;
}

}  // namespace commmap
