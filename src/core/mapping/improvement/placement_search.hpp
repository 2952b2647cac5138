#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.hpp"
#include "core/estimate/port_cost_state.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// A placement that changes by exchanges (two ranks swap, or a rank moves to a free PU), within a
/// budget of evaluations and until a deadline: the tools of the mappers that search. Rank 0 never
/// leaves its node where the problem names one. Only candidate PUs of the problem are used.
/// Deterministic.
class PlacementSearch {
public:
    /// @param start  a placement that fits the problem; must have rank 0 where it has to be
    PlacementSearch(const MappingProblem& problem, std::span<const PuId> start,
                    PortCostState::Detail detail, std::uint64_t max_evaluations, std::uint64_t seed,
                    const Deadline& deadline = {});

    [[nodiscard]] const SearchObjective& objective() const { return state_.objective(); }
    [[nodiscard]] const RunCost& run() const { return state_.run(); }
    [[nodiscard]] std::vector<PuId> placement() const;
    [[nodiscard]] bool exhausted() const { return num_evaluations_ >= max_evaluations_; }
    /// The deadline has exhausted it.
    [[nodiscard]] bool cut_short() const { return cut_short_; }
    [[nodiscard]] std::uint64_t num_evaluations() const { return num_evaluations_; }
    [[nodiscard]] Random& random() { return random_; }

    /// False when the exchange would change nothing or break the problem's rules.
    [[nodiscard]] bool may_exchange(RankId rank, PuId pu) const;
    /// The objective if `rank` went to `pu` and who is there came back; keep() makes it so. @pre
    /// may_exchange()
    SearchObjective try_exchange(RankId rank, PuId pu);
    void keep();
    /// Tries, keeps when better.
    bool improve(RankId rank, PuId pu);

    /// Every rank against every candidate PU in random order, again and again, until no exchange is
    /// better.
    void descend();
    /// Exchanges that bring a rank nearer to one it talks to, every other one about the busiest
    /// port, until `patience` in a row are not better.
    void descend_sampled(std::uint64_t patience);
    /// A random exchange that is promising: a rank, and a candidate PU near one of its peers.
    struct Exchange {
        RankId rank = no_id;  ///< no_id: none found
        PuId pu = 0;
    };
    [[nodiscard]] Exchange draw_near_peer();
    [[nodiscard]] Exchange draw_any();
    /// `count` random exchanges, kept whatever they do. Not counted.
    void kick(unsigned count);
    /// Back to a placement seen before. Not counted.
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
