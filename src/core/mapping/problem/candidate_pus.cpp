// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/problem/candidate_pus.hpp"

#include <algorithm>

namespace commmap {

std::vector<PuId> used_pus(const MappingProblem& problem) {
    const std::size_t num_ranks = problem.graph.num_ranks();
    std::vector<PuId> used(problem.candidate_pus.begin(),
                           problem.candidate_pus.begin() + static_cast<std::ptrdiff_t>(num_ranks));
    if (problem.rank0_node == no_id || used.empty()) return used;
    const auto on_node = [&](PuId pu) { return problem.hct.pu(pu).node == problem.rank0_node; };
    if (std::any_of(used.begin(), used.end(), on_node)) return used;
    used.back() =
        *std::find_if(problem.candidate_pus.begin(), problem.candidate_pus.end(), on_node);
    std::sort(used.begin(), used.end());
    return used;
}

std::span<const PuId> PuCounter::below(ElementId element) const {
    const Element& e = hct_.element(element);
    const auto first = std::lower_bound(candidate_pus_.begin(), candidate_pus_.end(), e.first_pu);
    const auto last = std::lower_bound(first, candidate_pus_.end(), e.first_pu + e.num_pus);
    return {first, last};
}

std::vector<ElementId> PuCounter::children(ElementId element) const {
    const Element& e = hct_.element(element);
    std::vector<ElementId> result;
    for (std::uint32_t c = 0; c < e.num_children; ++c) {
        if (count(e.first_child + c) > 0) result.push_back(e.first_child + c);
    }
    return result;
}

ElementId PuCounter::next_choice(ElementId element) const {
    for (;;) {
        const std::vector<ElementId> below = children(element);
        if (below.size() != 1) return element;
        element = below.front();
    }
}

}  // namespace commmap
