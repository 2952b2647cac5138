// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/objective.hpp"

#include <algorithm>
#include <vector>

#include "core/tree_mapping/moves/chain_search.hpp"
#include "core/tree_mapping/moves/hop_bytes_cost.hpp"
#include "core/tree_mapping/moves/link_cost.hpp"
#include "core/tree_mapping/moves/rank_time_cost.hpp"

namespace commmap {
namespace {

constexpr unsigned bottleneck_squarings = 4;  ///< a sum of this power stands for the largest load

class Lowering {
public:
    Lowering(BinPlacement& placement, unsigned longest, Threads& threads, const Deadline& deadline)
        : placement_(placement), longest_(longest), threads_(threads), deadline_(deadline) {}

    void hop_bytes() {
        HopBytesCost cost(placement_);
        search(cost);
    }
    void port_cost() {
        const double most = LinkCost::capped(placement_, 0.0).largest();
        if (most == 0.0) return;
        LinkCost powers = LinkCost::powers(placement_, most, bottleneck_squarings);
        search(powers);
        LinkCost capped = LinkCost::capped(placement_, powers.largest());
        search(capped);
    }
    void process_time() {
        const double most = RankTimes(placement_).longest();
        if (most == 0.0) return;
        RankTimeCost powers(placement_, Potential::power(1.0, most, bottleneck_squarings));
        search(powers);
        RankTimeCost capped(placement_, Potential::linear(1.0, powers.longest()));
        search(capped);
    }

private:
    template <class Cost>
    void search(Cost& cost) {
        ChainSearch<Cost>(placement_, cost).improve(longest_, threads_, deadline_);
    }

    BinPlacement& placement_;
    unsigned longest_;
    Threads& threads_;
    const Deadline& deadline_;
};

}  // namespace

std::pair<double, double> judged(const PlacementFigures& figures, Objective objective) {
    switch (objective) {
        case Objective::port_cost:
            return {figures.port_cost, figures.hop_bytes};
        case Objective::process_time:
            return {figures.process_time, figures.hop_bytes};
        case Objective::hop_bytes:
            break;
    }
    return {figures.hop_bytes, figures.hop_bytes};
}

void lower(BinPlacement& placement, Objective objective, unsigned longest, Threads& threads,
           const Deadline& deadline) {
    if (deadline.passed()) return;
    Lowering lowering(placement, longest, threads, deadline);
    switch (objective) {
        case Objective::hop_bytes:
            return lowering.hop_bytes();
        case Objective::port_cost:
            return lowering.port_cost();
        case Objective::process_time:
            return lowering.process_time();
    }
}

}  // namespace commmap
