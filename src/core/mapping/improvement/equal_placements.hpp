// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Tells whether two placements are the same up to an exchange of equal parts of the machine: two
/// PUs of one core, or two nodes of one switch. Such placements cost the same, whatever the traffic
/// is.
///
/// Two subtrees are equal when their ports, their bounds, their children and their candidate PUs
/// are. Rank 0's node is not looked at.
/// Refers to the problem's tree. Thread-safe.
/// Memory: 8 bytes an element of the tree.
class EqualPlacements {
public:
    /// Cost: O(elements log elements).
    explicit EqualPlacements(const MappingProblem& problem);

    /// Returns the normal form of a placement: its ranks in the order of the PUs (no_id: no rank),
    /// with equal subtrees sorted by their lowest rank. Two placements have the same form exactly
    /// when they are equal in this sense.
    /// @pre no two ranks on one PU
    /// Cost: O(elements log children).
    [[nodiscard]] std::vector<RankId> form_of(Placement placement) const;

private:
    const Hct& hct_;
    std::vector<std::uint32_t> shape_;  ///< by element; equal subtrees have the same number
};

/// Remembers the placements at which searches ended. A search that reaches one of them, or an equal
/// one, need not improve it again.
class SearchedPlacements {
public:
    explicit SearchedPlacements(const MappingProblem& problem) : equal_(problem) {}

    /// Adds a placement.
    /// @return  false: an equal placement was there already
    bool add(Placement placement) { return forms_.insert(equal_.form_of(placement)).second; }

private:
    EqualPlacements equal_;
    std::set<std::vector<RankId>> forms_;
};

}  // namespace commmap
