// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "commmap/deadline.hpp"
#include "core/base/cost_order.hpp"
#include "core/base/threads.hpp"
#include "core/tree_mapping/moves/bin_placement.hpp"

namespace commmap {

/// Gain of a move, and the size of the numbers whose difference it is.
struct MoveGain {
    double value = 0.0;
    double scale = 0.0;

    MoveGain& operator+=(const MoveGain& other) {
        value += other.value;
        scale = std::max(scale, other.scale);
        return *this;
    }
    friend MoveGain operator+(MoveGain a, const MoveGain& b) { return a += b; }
    /// Tells whether the gain is real: a smaller gain may be rounding.
    [[nodiscard]] bool is_clear() const { return value > same_cost * scale; }
};

/// Lowers the cost of a placement by chains of moves.
/// A rank goes to a bin that has most of its bytes. One of that bin's ranks goes on to a bin that
/// it prefers, and so on.
/// In the end one rank takes the first one's place, or a free one. A chain of two is a swap.
/// Only chains that gain are kept, so no bin ever has more ranks than PUs.
///
/// Cost is the function to lower: HopBytesCost, LinkCost, RankTimeCost. It has
/// - Cost(placement, ...); placement outlives it;
/// - MoveGain gain_at(rank, bin) const: the gain if only this rank goes there; thread-safe;
/// - void before_move(rank, bin).
///
/// Threads: not safe. Deterministic.
/// Source: ejection chains: Glover, "Ejection chains, reference structures and alternating path
/// methods for traveling salesman problems", Discrete Applied Mathematics 65, 1996; Lin,
/// Kernighan's idea for partitions: Bell System Technical Journal 49, 1970.
template <class Cost>
class ChainSearch {
public:
    /// placement and cost must outlive the object.
    ChainSearch(BinPlacement& placement, Cost& cost)
        : placement_(placement),
          graph_(placement.graph()),
          cost_(cost),
          in_chain_(placement.num_ranks(), 0),
          waiting_(placement.num_ranks(), 0),
          scratch_{std::vector<double>(placement.machine().num_bins(), 0.0), {}} {}

    /// Tries chains from every rank, then from ranks near those that moved, until no chain gains.
    /// @param longest  ranks in a chain, at least 2
    /// @return         the sum of the gains
    /// Cost: a chain O(longest * ranks of a bin * neighbours). Only the search for the first ranks
    /// uses several threads.
    double improve(unsigned longest, Threads& threads, const Deadline& deadline = {});

private:
    /// Scratch memory of a search for targets.
    struct Scratch {
        std::vector<double> weight_to;  ///< by bin; all 0 between searches
        std::vector<GroupId> near;      ///< bins of a rank's neighbours
    };
    struct Target {
        MoveGain gain{-std::numeric_limits<double>::infinity(), 0.0};
        GroupId bin = 0;
        bool found = false;
    };

    static constexpr std::size_t most_targets = 6;  ///< bins looked at, those with the most bytes
    /// A rank with many more neighbours than others is tried once, as a chain's first rank.
    /// It takes as long as a hundred others, and the splitting of the graph has already shown what
    /// its move is worth.
    static constexpr std::size_t some_neighbours = 64;
    static constexpr std::size_t most_neighbours = 256;
    static constexpr std::size_t times_the_mean = 8;
    static constexpr std::size_t between_looks = 64;  ///< chains between two looks at the clock
    static constexpr std::size_t piece = 16384;       ///< ranks that one thread looks at

    double try_chain(std::uint32_t first, unsigned longest);
    void take_back();
    [[nodiscard]] Target best_target(std::uint32_t rank, GroupId not_there, Scratch& scratch) const;
    [[nodiscard]] std::vector<std::uint32_t> first_ones(Threads& threads,
                                                        const Deadline& deadline) const;
    void put(std::uint32_t rank, GroupId bin) {
        chain_.push_back({rank, placement_.bin_of(rank)});
        cost_.before_move(rank, bin);
        placement_.move(rank, bin);
    }
    [[nodiscard]] bool is_hub(std::uint32_t rank) const {
        const std::size_t neighbours = graph_.first[rank + 1] - graph_.first[rank];
        const std::size_t times = neighbours > most_neighbours ? 2 : times_the_mean;
        return neighbours > some_neighbours &&
               neighbours * placement_.num_ranks() > times * graph_.neighbours.size();
    }

    BinPlacement& placement_;
    const CsrGraph& graph_;
    Cost& cost_;
    std::vector<BinPlacement::Step> chain_;
    std::vector<std::uint32_t> in_chain_;  ///< by rank, the last chain that it was in
    std::vector<std::uint8_t> waiting_;    ///< by rank, whether a chain from it is to come
    std::uint32_t chain_number_ = 0;
    Scratch scratch_;
};

/// Returns the ranks that would gain in another bin.
template <class Cost>
std::vector<std::uint32_t> ChainSearch<Cost>::first_ones(Threads& threads,
                                                         const Deadline& deadline) const {
    std::vector<std::uint8_t> gains(placement_.num_ranks(), 0);
    threads.parallel_for(gains.size(), piece, [&](std::size_t begin, std::size_t end) {
        if (deadline.passed()) return;
        Scratch scratch{std::vector<double>(placement_.machine().num_bins(), 0.0), {}};
        for (std::size_t i = begin; i < end; ++i) {
            const auto rank = static_cast<std::uint32_t>(i);
            const Target target = best_target(rank, placement_.bin_of(rank), scratch);
            gains[i] = target.found && target.gain.is_clear() ? 1 : 0;
        }
    });
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < gains.size(); ++rank)
        if (gains[rank] != 0) ranks.push_back(rank);
    return ranks;
}

template <class Cost>
double ChainSearch<Cost>::improve(unsigned longest, Threads& threads, const Deadline& deadline) {
    std::vector<std::uint32_t> now = first_ones(threads, deadline);
    std::vector<std::uint32_t> next;
    for (const std::uint32_t rank : now) waiting_[rank] = 1;
    double gained = 0.0;
    const auto wait = [&](std::uint32_t rank) {
        if (waiting_[rank] != 0 || is_hub(rank)) return;
        next.push_back(rank);
        waiting_[rank] = 1;
    };
    std::size_t tried = 0;
    while (!now.empty()) {
        for (const std::uint32_t rank : now) {
            waiting_[rank] = 0;
            if (tried++ % between_looks == 0 && deadline.passed()) return gained;
            const double gain = try_chain(rank, longest);
            if (gain == 0.0) continue;
            gained += gain;
            for (const BinPlacement::Step& step : chain_) {
                wait(step.rank);
                for (const std::uint32_t u : graph_.neighbours_of(step.rank)) wait(u);
            }
        }
        now.swap(next);
        next.clear();
    }
    return gained;
}

/// Tries a chain. chain_ then has the ranks that moved.
/// @return  the gain
template <class Cost>
double ChainSearch<Cost>::try_chain(std::uint32_t first, unsigned longest) {
    const GroupId start = placement_.bin_of(first);
    const Target wanted = best_target(first, start, scratch_);
    if (!wanted.found || !wanted.gain.is_clear()) return 0.0;
    ++chain_number_;
    chain_.clear();
    in_chain_[first] = chain_number_;
    put(first, wanted.bin);
    MoveGain gained = wanted.gain;
    GroupId full = wanted.bin;
    while (true) {
        if (placement_.has_room(full)) {
            placement_.settle(chain_, false);
            return gained.value;
        }
        // One of the bin's ranks comes back to the start, or goes on.
        Target onward;
        std::uint32_t who_goes_on = 0;
        Target back;
        std::uint32_t who_comes_back = 0;
        for (const std::uint32_t rank : placement_.members(full)) {
            if (in_chain_[rank] == chain_number_ || is_hub(rank)) continue;
            const MoveGain back_gain = cost_.gain_at(rank, start);
            if (back_gain.value > back.gain.value) {
                back = {back_gain, start, true};
                who_comes_back = rank;
            }
            if (chain_.size() + 2 > longest) continue;
            const Target target = best_target(rank, start, scratch_);
            if (target.found && target.gain.value > onward.gain.value) {
                onward = target;
                who_goes_on = rank;
            }
        }
        if (back.found && (gained + back.gain).is_clear()) {
            in_chain_[who_comes_back] = chain_number_;
            put(who_comes_back, start);
            placement_.settle(chain_, true);
            return (gained + back.gain).value;
        }
        if (!onward.found || !(gained + onward.gain).is_clear()) break;
        in_chain_[who_goes_on] = chain_number_;
        put(who_goes_on, onward.bin);
        gained += onward.gain;
        full = onward.bin;
    }
    take_back();
    return 0.0;
}

template <class Cost>
void ChainSearch<Cost>::take_back() {
    for (std::size_t i = chain_.size(); i-- > 0;) {
        const BinPlacement::Step step = chain_[i];
        put(step.rank, step.from);
    }
    chain_.clear();
}

/// Returns the bin with the largest gain, among the bins to which the rank sends the most. Leaves
/// out the rank's own bin and `not_there`.
template <class Cost>
typename ChainSearch<Cost>::Target ChainSearch<Cost>::best_target(std::uint32_t rank,
                                                                  GroupId not_there,
                                                                  Scratch& scratch) const {
    std::vector<double>& weight_to = scratch.weight_to;
    std::vector<GroupId>& near = scratch.near;
    near.clear();
    for (std::uint32_t i = graph_.first[rank]; i < graph_.first[rank + 1]; ++i) {
        const GroupId bin = placement_.bin_of(graph_.neighbours[i]);
        if (weight_to[bin] == 0.0) near.push_back(bin);
        weight_to[bin] += static_cast<double>(graph_.weights[i]);
    }
    if (near.size() > most_targets) {
        std::partial_sort(
            near.begin(), near.begin() + most_targets, near.end(), [&](GroupId a, GroupId b) {
                return weight_to[a] != weight_to[b] ? weight_to[a] > weight_to[b] : a < b;
            });
    }
    Target best;
    for (std::size_t i = 0; i < std::min(near.size(), most_targets); ++i) {
        const GroupId bin = near[i];
        if (bin == placement_.bin_of(rank) || bin == not_there) continue;
        const MoveGain gain = cost_.gain_at(rank, bin);
        if (gain.value > best.gain.value) best = {gain, bin, true};
    }
    for (const GroupId bin : near) weight_to[bin] = 0.0;
    return best;
}

}  // namespace commmap
