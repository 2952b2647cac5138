#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Tells which placements are the same but for an exchange of equal parts of the machine: two PUs
/// of one core, two nodes of one switch. Such placements cost the same, whatever the traffic is.
///
/// Two subtrees are equal when their ports, their bounds, their children and the candidate PUs
/// below them are. Where rank 0 has to be is not looked at. Refers to the problem's tree.
/// Thread-safe.
/// Memory: 8 bytes an element of the tree.
class EqualPlacements {
public:
    /// Cost: O(elements log elements).
    explicit EqualPlacements(const MappingProblem& problem);

    /// A placement's ranks in the order of the PUs, equal subtrees sorted by their lowest rank;
    /// no_id: no rank. Equal for equal placements, and only for them.
    /// @pre no two ranks on one PU. Cost: O(elements log children).
    [[nodiscard]] std::vector<RankId> form_of(Placement placement) const;

private:
    const Hct& hct_;
    std::vector<std::uint32_t> shape_;  ///< by element; equal subtrees have one number
};

/// Placements that searches came to rest at: what one of them has improved, no other improves
/// again.
class SearchedPlacements {
public:
    explicit SearchedPlacements(const MappingProblem& problem) : equal_(problem) {}

    /// @return  false: an equal one was there already
    bool add(Placement placement) { return forms_.insert(equal_.form_of(placement)).second; }

private:
    EqualPlacements equal_;
    std::set<std::vector<RankId>> forms_;
};

}  // namespace commmap
