#pragma once

#include <cstdint>
#include <vector>

#include "core/tree_mapping/moves/bin_placement.hpp"

namespace commmap {

/// What each rank's messages cost in a placement that changes: the sum of weight times distance
/// over its edges. Exact, for both are whole numbers (CsrGraph). Memory: 8 bytes a rank.
/// Cost: O(edges) to make, O(neighbours) a question or a move.
class RankTimes {
public:
    explicit RankTimes(const BinPlacement& placement);

    [[nodiscard]] double of(std::uint32_t rank) const { return times_[rank]; }
    /// If the rank were there.
    [[nodiscard]] double of(std::uint32_t rank, MachineTree::Path path) const;
    /// Of the rank that communicates the longest; 0 without ranks.
    [[nodiscard]] double longest() const;

    /// To be called while the rank is still where it was.
    void before_move(std::uint32_t rank, GroupId bin);

private:
    const BinPlacement& placement_;
    std::vector<double> times_;
};

}  // namespace commmap
