#pragma once

#include <cstdint>
#include <vector>

#include "core/mapping/bin_placement.hpp"
#include "core/mapping/chain_search.hpp"

namespace commmap {

/// Hop-bytes, for a ChainSearch: exact, for weights and distances are whole numbers (CsrGraph).
/// Memory: 8 bytes a rank. Cost: O(neighbours) a question.
class HopBytesCost {
public:
    explicit HopBytesCost(const BinPlacement& placement)
        : placement_(placement), cost_(placement.num_ranks()) {
        for (std::uint32_t rank = 0; rank < cost_.size(); ++rank)
            cost_[rank] = cost_at(rank, placement.path_of(rank));
    }

    [[nodiscard]] MoveGain gain_at(std::uint32_t rank, GroupId bin) const {
        return {cost_[rank] - cost_at(rank, placement_.machine().path(bin)), 0.0};
    }
    void before_move(std::uint32_t rank, GroupId bin);
    [[nodiscard]] static bool is_gain(const MoveGain& gain) { return gain.value > 0.5; }

private:
    /// Of its messages, if it were there.
    [[nodiscard]] double cost_at(std::uint32_t rank, MachineTree::Path path) const;

    const BinPlacement& placement_;
    std::vector<double> cost_;  ///< of a rank's messages where it is
};

}  // namespace commmap
