// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Chooses the candidate PUs that get a rank when there are more candidate PUs than ranks: the
/// first num_ranks, which the linear placement fills. When none of these is on rank 0's node, the
/// last one is replaced by that node's first candidate PU.
/// @return  ascending
[[nodiscard]] std::vector<PuId> used_pus(const MappingProblem& problem);

/// Counts the candidate PUs below an element of the tree.
/// Cost: O(log candidate PUs) a question.
class PuCounter {
public:
    /// @param candidate_pus ascending; must outlive the counter
    PuCounter(const Hct& hct, std::span<const PuId> candidate_pus)
        : hct_(hct), candidate_pus_(candidate_pus) {}

    /// Returns the candidate PUs below an element, ascending.
    [[nodiscard]] std::span<const PuId> below(ElementId element) const;
    [[nodiscard]] std::uint32_t count(ElementId element) const {
        return static_cast<std::uint32_t>(below(element).size());
    }
    /// Children with at least one candidate PU, in tree order.
    [[nodiscard]] std::vector<ElementId> children(ElementId element) const;
    /// Follows the path down from an element past levels that leave no choice. Returns the first
    /// element at or below it that is a leaf, or has two or more children with candidate PUs.
    /// @pre count(element) > 0
    [[nodiscard]] ElementId next_choice(ElementId element) const;

private:
    const Hct& hct_;
    std::span<const PuId> candidate_pus_;
};

}  // namespace commmap
