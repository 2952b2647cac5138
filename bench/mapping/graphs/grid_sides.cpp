// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "graphs/grid_sides.hpp"

#include <algorithm>
#include <limits>

namespace commmap::bench {
namespace {

struct Search {
    std::vector<std::uint32_t> candidates;  // ascending
    std::vector<std::uint32_t> sides;
    std::vector<std::uint32_t> best;
    std::uint64_t best_sum = std::numeric_limits<std::uint64_t>::max();
};

/// The last of the sides is what is `left` when only one is missing.
void search(Search& state, std::uint32_t left, std::size_t missing, std::uint64_t sum) {
    const std::uint32_t largest = state.sides.empty() ? left : state.sides.back();
    if (missing == 1) {
        if (left > largest || sum + left >= state.best_sum) return;
        state.best = state.sides;
        state.best.push_back(left);
        state.best_sum = sum + left;
        return;
    }
    for (const std::uint32_t side : state.candidates) {
        if (side > largest) return;
        if (left % side != 0) continue;
        state.sides.push_back(side);
        search(state, left / side, missing - 1, sum + side);
        state.sides.pop_back();
    }
}

}  // namespace

std::vector<std::uint32_t> divisors(std::uint32_t count) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t d = 1; std::uint64_t{d} * d <= count; ++d) {
        if (count % d != 0) continue;
        found.push_back(d);
        if (d != count / d) found.push_back(count / d);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::uint32_t> grid_sides(std::uint32_t count, std::size_t dimensions) {
    Search state;
    state.candidates = divisors(count);
    search(state, count, dimensions, 0);
    return state.best;
}

}  // namespace commmap::bench
