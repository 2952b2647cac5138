// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/improvement/placement_search.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/mapping/problem/rank0.hpp"

namespace commmap {

PlacementSearch::PlacementSearch(const MappingProblem& problem, std::span<const PuId> start,
                                 PortCostState::Detail detail, std::uint64_t max_evaluations,
                                 std::uint64_t seed, const Deadline& deadline)
    : problem_(problem),
      state_(run_of(problem), problem.time, problem.hct, start, detail),
      rank_at_(problem.hct.num_pus(), no_id),
      candidate_of_(problem.hct.num_pus(), no_id),
      random_(seed),
      max_evaluations_(max_evaluations),
      deadline_(deadline) {
    for (std::uint32_t s = 0; s < problem.candidate_pus.size(); ++s)
        candidate_of_[problem.candidate_pus[s]] = s;
    for (RankId r = 0; r < start.size(); ++r) {
        assert(rank_at_[start[r]] == no_id && candidate_of_[start[r]] != no_id &&
               may_be_on(problem, r, start[r]) && "the start breaks the problem's rules");
        rank_at_[start[r]] = r;
        if (!problem.graph.sent_by(r).empty() || !problem.graph.received_by(r).empty()) {
            talkers_.push_back(r);
        }
    }
}

std::vector<PuId> PlacementSearch::placement() const {
    return {state_.placement().begin(), state_.placement().end()};
}

bool PlacementSearch::may_exchange(RankId rank, PuId pu) const {
    const PuId from = state_.pu_of(rank);
    const RankId other = rank_at_[pu];
    return pu != from && may_be_on(problem_, rank, pu) &&
           (other == no_id || may_be_on(problem_, other, from));
}

SearchObjective PlacementSearch::try_exchange(RankId rank, PuId pu) {
    constexpr std::uint64_t between_looks = 256;  // a few hundred microseconds
    if (++num_evaluations_ % between_looks == 0 && deadline_.passed()) {
        cut_short_ = !exhausted();
        max_evaluations_ = num_evaluations_;
    }
    tried_ = {rank, pu};
    const RankId other = rank_at_[pu];
    return other == no_id ? state_.try_move(rank, pu) : state_.try_swap(rank, other);
}

void PlacementSearch::keep() {
    const PuId from = state_.pu_of(tried_.rank);
    rank_at_[from] = rank_at_[tried_.pu];
    rank_at_[tried_.pu] = tried_.rank;
    state_.apply();
}

bool PlacementSearch::improve(RankId rank, PuId pu) {
    if (!better(try_exchange(rank, pu), state_.objective())) return false;
    keep();
    return true;
}

void PlacementSearch::exchange(RankId rank, PuId pu) {
    try_exchange(rank, pu);
    --num_evaluations_;
    keep();
}

void PlacementSearch::descend() {
    const std::size_t num_ranks = state_.placement().size();
    const std::size_t num_candidate_pus = problem_.candidate_pus.size();
    const std::size_t num_pairs = num_ranks * num_candidate_pus;
    if (order_.size() != num_pairs) {
        order_.resize(num_pairs);
        std::iota(order_.begin(), order_.end(), 0U);
    }
    shuffle(std::span(order_), random_);
    std::size_t since_improvement = 0;
    for (std::size_t i = 0; since_improvement < num_pairs && !exhausted();
         i = i + 1 == num_pairs ? 0 : i + 1) {
        ++since_improvement;
        const auto rank = static_cast<RankId>(order_[i] / num_candidate_pus);
        const PuId pu = problem_.candidate_pus[order_[i] % num_candidate_pus];
        // The list has each swap of two ranks twice, once for each rank. Only the lower rank tries.
        const RankId other = rank_at_[pu];
        if ((other != no_id && other < rank) || !may_exchange(rank, pu)) continue;
        if (improve(rank, pu)) since_improvement = 0;
    }
}

/// Draws a step, with a probability in proportion to the time that its busiest port adds. Without
/// steps it returns part 0, the whole run.
std::size_t PlacementSearch::draw_part() {
    const std::size_t num_steps = state_.run().num_steps();
    if (num_steps == 0) return 0;
    double all_s = 0.0;
    for (std::size_t step = 0; step < num_steps; ++step) all_s += state_.time_of_part_s(step);
    double left_s = random_.unit() * all_s;
    std::size_t step = 0;
    while (step + 1 < num_steps && (left_s -= state_.time_of_part_s(step)) >= 0.0) ++step;
    return step;
}

void PlacementSearch::find_busy_ranks() {
    const std::size_t part = draw_part();
    const PortLoad busiest = state_.busiest_port(part);
    const PortTable& table = state_.run().part(part);
    busy_element_ = busiest.element;
    busy_ranks_.clear();
    const Element& e = problem_.hct.element(busy_element_);
    const auto outside = [&](RankId peer) {
        const PuId pu = state_.pu_of(peer);
        return pu < e.first_pu || pu >= e.first_pu + e.num_pus;
    };
    for (PuId pu = e.first_pu; pu < e.first_pu + e.num_pus; ++pu) {
        const RankId rank = rank_at_[pu];
        if (rank == no_id) continue;
        const bool crosses =
            busiest.direction == PortDirection::through ||
            std::any_of(table.sent_by(rank).begin(), table.sent_by(rank).end(),
                        [&](const PortTable::PeerMessages& m) { return outside(m.peer); }) ||
            std::any_of(table.received_by(rank).begin(), table.received_by(rank).end(),
                        [&](const PortTable::PeerMessages& m) { return outside(m.peer); });
        if (crosses) busy_ranks_.push_back(rank);
    }
}

PlacementSearch::Exchange PlacementSearch::draw_any() {
    const std::size_t num_ranks = state_.placement().size();
    for (unsigned attempt = 0; attempt < 8; ++attempt) {
        const auto rank = static_cast<RankId>(random_.below(num_ranks));
        const PuId pu = problem_.candidate_pus[random_.below(problem_.candidate_pus.size())];
        if (may_exchange(rank, pu)) return {rank, pu};
    }
    return {};
}

PlacementSearch::Exchange PlacementSearch::draw_for(RankId rank, ElementId away_from) {
    const auto sent = state_.run().whole().sent_by(rank);
    const auto received = state_.run().whole().received_by(rank);
    const std::size_t num_messages = sent.size() + received.size();
    if (num_messages == 0) return {};
    const Hct& hct = problem_.hct;
    const PuId from = state_.pu_of(rank);
    for (unsigned attempt = 0; attempt < 4; ++attempt) {
        const std::size_t m = random_.below(num_messages);
        const RankId peer = m < sent.size() ? sent[m].peer : received[m - sent.size()].peer;
        const PuId peer_pu = state_.pu_of(peer);
        if (away_from != no_id) {
            const Element& e = hct.element(away_from);
            if (peer_pu >= e.first_pu && peer_pu < e.first_pu + e.num_pus) continue;
        }
        // Every ancestor of the peer below the common ancestor has PUs nearer to the peer.
        const ElementId common = hct.common_ancestor(from, peer_pu);
        ElementId near = hct.element(hct.pu(peer_pu).element).parent;
        if (near == no_id || hct.element(near).depth <= hct.element(common).depth) continue;
        while (random_.below(2) == 0) {
            const ElementId up = hct.element(near).parent;
            if (up == no_id || hct.element(up).depth <= hct.element(common).depth) break;
            near = up;
        }
        const Element& e = hct.element(near);
        for (unsigned pick = 0; pick < 4; ++pick) {
            const auto pu = static_cast<PuId>(e.first_pu + random_.below(e.num_pus));
            if (candidate_of_[pu] != no_id && pu != peer_pu && may_exchange(rank, pu)) {
                return {rank, pu};
            }
        }
    }
    return {};
}

PlacementSearch::Exchange PlacementSearch::draw_near_peer() {
    if (talkers_.empty()) return {};
    return draw_for(talkers_[random_.below(talkers_.size())], no_id);
}

void PlacementSearch::descend_sampled(std::uint64_t patience) {
    std::uint64_t since_improvement = 0;
    constexpr std::uint64_t refresh =
        256;  // draws: a search for the busy ranks costs as much as a few tries
    for (std::uint64_t draw = 0; since_improvement < patience && !exhausted(); ++draw) {
        ++since_improvement;
        if (draw % refresh == 0) find_busy_ranks();
        Exchange e;
        if (draw % 2 == 0 && !busy_ranks_.empty()) {
            e = draw_for(busy_ranks_[random_.below(busy_ranks_.size())], busy_element_);
        } else {
            e = draw_near_peer();
        }
        if (e.rank == no_id) e = draw_any();
        if (e.rank != no_id && improve(e.rank, e.pu)) since_improvement = 0;
    }
}

void PlacementSearch::kick(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        const Exchange e = draw_any();
        if (e.rank != no_id) exchange(e.rank, e.pu);
    }
}

void PlacementSearch::restore(std::span<const PuId> placement) {
    // Each rank changes places with the rank on its PU. Ranks that are in place already are not
    // moved again, because no other rank goes to their PUs.
    for (RankId rank = 0; rank < placement.size(); ++rank) {
        if (state_.pu_of(rank) != placement[rank]) exchange(rank, placement[rank]);
    }
}

}  // namespace commmap
