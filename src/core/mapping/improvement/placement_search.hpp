// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.hpp"
#include "core/estimate/port_cost_state.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Changes a placement step by step and keeps its cost up to date: the tools of the mappers that
/// search. A step is an exchange: two ranks swap, or a rank moves to a free PU. A budget of
/// evaluations and a deadline limit the search. Only candidate PUs are used. Rank 0 stays on its
/// node where the problem names one.
/// Deterministic, unless the deadline passes.
class PlacementSearch {
public:
    /// @param start  a placement that fits the problem, with rank 0 where it has to be
    PlacementSearch(const MappingProblem& problem, std::span<const PuId> start,
                    PortCostState::Detail detail, std::uint64_t max_evaluations, std::uint64_t seed,
                    const Deadline& deadline = {});

    [[nodiscard]] const SearchObjective& objective() const { return state_.objective(); }
    [[nodiscard]] const RunCost& run() const { return state_.run(); }
    [[nodiscard]] std::vector<PuId> placement() const;
    [[nodiscard]] bool exhausted() const { return num_evaluations_ >= max_evaluations_; }
    /// Tells whether the deadline, and not the budget, ended the search.
    [[nodiscard]] bool cut_short() const { return cut_short_; }
    [[nodiscard]] std::uint64_t num_evaluations() const { return num_evaluations_; }
    [[nodiscard]] Random& random() { return random_; }

    /// Tells whether an exchange changes anything and keeps the problem's rules.
    [[nodiscard]] bool may_exchange(RankId rank, PuId pu) const;
    /// Returns the objective after an exchange: `rank` goes to `pu`, and the rank on `pu`, if any,
    /// takes its place. The placement changes only when keep() is called.
    /// @pre may_exchange()
    SearchObjective try_exchange(RankId rank, PuId pu);
    void keep();
    /// Tries an exchange, and keeps it when it is better. @return  whether it was kept
    bool improve(RankId rank, PuId pu);

    /// Tries every rank with every candidate PU in random order, again and again, until no exchange
    /// is better.
    void descend();
    /// Tries random exchanges that bring a rank nearer to one of its peers, until `patience` in a
    /// row are not better. Every other exchange is about a rank whose messages load the busiest
    /// port.
    void descend_sampled(std::uint64_t patience);
    /// An exchange that was drawn at random.
    struct Exchange {
        RankId rank = no_id;  ///< no_id: none found
        PuId pu = 0;
    };
    /// Draws a rank, and a candidate PU near one of its peers.
    [[nodiscard]] Exchange draw_near_peer();
    /// Draws a rank and any candidate PU.
    [[nodiscard]] Exchange draw_any();
    /// Makes `count` random exchanges, better or not. They do not count as evaluations.
    void kick(unsigned count);
    /// Returns to a placement that was seen before. It does not count as an evaluation.
    void restore(std::span<const PuId> placement);

private:
    [[nodiscard]] Exchange draw_for(RankId rank, ElementId away_from);
    [[nodiscard]] std::size_t draw_part();
    void find_busy_ranks();
    void exchange(RankId rank, PuId pu);

    const MappingProblem& problem_;
    PortCostState state_;
    std::vector<RankId> rank_at_;              ///< by PU; no_id: free
    std::vector<std::uint32_t> candidate_of_;  ///< by PU, index into the problem's candidate PUs
    Random random_;
    std::uint64_t max_evaluations_;
    std::uint64_t num_evaluations_ = 0;
    Deadline deadline_;
    bool cut_short_ = false;
    Exchange tried_;
    std::vector<RankId> talkers_;  ///< ranks that have peers
    ElementId busy_element_ = no_id;
    std::vector<RankId>
        busy_ranks_;  ///< with traffic between the inside and the outside of busy_element_
    std::vector<std::uint32_t> order_;
};

}  // namespace commmap
