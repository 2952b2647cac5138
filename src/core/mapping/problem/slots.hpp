#pragma once

#include <span>
#include <vector>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// The slots that get a rank when there are more slots than ranks: the first num_ranks, as the
/// linear placement fills them. When none of them is on rank 0's node, the last one gives way to
/// that node's first slot. Ascending.
/// @pre check_problem() holds
[[nodiscard]] std::vector<PuId> used_slots(const MappingProblem& problem);

/// How many of some slots are below each element of the tree. Cost: O(log slots) a question.
class SlotCounter {
public:
    /// @param slots ascending; must outlive the counter
    SlotCounter(const Hct& hct, std::span<const PuId> slots) : hct_(hct), slots_(slots) {}

    [[nodiscard]] std::span<const PuId> below(ElementId element) const;
    [[nodiscard]] std::uint32_t count(ElementId element) const {
        return static_cast<std::uint32_t>(below(element).size());
    }
    /// Children with at least one slot, in tree order.
    [[nodiscard]] std::vector<ElementId> children(ElementId element) const;
    /// The first element at or below that is a leaf or has two or more children with slots: the
    /// levels in between leave no choice. @pre count(element) > 0
    [[nodiscard]] ElementId next_choice(ElementId element) const;

private:
    const Hct& hct_;
    std::span<const PuId> slots_;
};

}  // namespace commmap
