#pragma once

#include <cstdint>
#include <vector>

#include "core/mapping/bin_placement.hpp"
#include "core/mapping/chain_search.hpp"
#include "core/mapping/potential.hpp"

namespace commmap {

/// The sum over all ranks of a potential of what their messages cost, for a ChainSearch: with a
/// high power Khoroshevsky and Kurnosov's T(X), the time of the rank that communicates the longest.
/// Memory: 8 bytes a rank. Cost: O(neighbours) a question.
class RankTimeCost {
public:
    RankTimeCost(const BinPlacement& placement, const Potential& potential)
        : placement_(placement), potential_(potential), times_(times_of(placement)) {}

    [[nodiscard]] MoveGain gain_at(std::uint32_t rank, GroupId bin) const;
    void before_move(std::uint32_t rank, GroupId bin);
    /// Less than a billionth may be what was lost in rounding.
    [[nodiscard]] static bool is_gain(const MoveGain& gain) {
        return gain.value > 1e-9 * gain.scale;
    }

    /// What each rank's messages cost.
    [[nodiscard]] static std::vector<double> times_of(const BinPlacement& placement);

private:
    const BinPlacement& placement_;
    Potential potential_;
    std::vector<double> times_;
};

}  // namespace commmap
