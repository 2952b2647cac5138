#include "core/estimate/port_cost_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace commmap {

bool better(const SearchObjective& a, const SearchObjective& b) {
    if (a.max_s < b.max_s * (1.0 - 1e-9)) return true;
    return a.max_s <= b.max_s * (1.0 + 1e-9) && a.sum_squares < b.sum_squares * (1.0 - 1e-11);
}

PortCostState::PortCostState(const CommGraph& graph, const Hct& hct, Placement placement,
                             Detail detail)
    : PortCostState(std::make_shared<const PortTable>(graph, hct), hct, placement, detail) {}

PortCostState::PortCostState(std::shared_ptr<const PortTable> table, const Hct& hct,
                             Placement placement, Detail detail)
    : hct_(hct),
      detail_(detail),
      table_(std::move(table)),
      pu_of_rank_(placement.begin(), placement.end()),
      index_of_port_(table_->num_ports(), no_id) {
    assert(placement.size() == table_->num_ranks() && "the placement does not fit");
    for (std::uint32_t p = 0; p < table_->num_ports(); ++p) {
        if (table_->is_free(p)) continue;
        index_of_port_[p] = static_cast<std::uint32_t>(ports_.size());
        const Element& element = hct.element(p / 3);
        ports_.push_back({p, table_->max_bandwidth_bytes_per_s(p),
                          static_cast<double>(std::max(1U, element.num_pus))});
    }
    touched_in_.assign(ports_.size(), 0);
    leaves_ = std::bit_ceil(std::max<std::size_t>(1, ports_.size()));
    tournament_.assign(2 * leaves_, 0.0);
    if (detail_ == Detail::additive) {
        sum_up();
    } else {
        exact_.emplace(*table_, pu_of_rank_, [&](std::uint32_t port, double cost_s) {
            if (index_of_port_[port] != no_id) tournament_[leaves_ + index_of_port_[port]] = cost_s;
        });
    }
    rebuild_costs();
}

void PortCostState::sum_up() {
    std::vector<Load> of_port(table_->num_ports());
    for (RankId source = 0; source < pu_of_rank_.size(); ++source) {
        for (const PortTable::Message& m : table_->sent_by(source)) {
            const double bytes = table_->bytes_of(m.kind);
            table_->for_each_port(pu_of_rank_[source], pu_of_rank_[m.peer], [&](std::uint32_t p) {
                of_port[p].time_s += table_->time_s(m.kind, p);
                of_port[p].bytes += bytes;
                ++of_port[p].messages;
            });
        }
    }
    loads_.resize(ports_.size());
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        loads_[i] = of_port[ports_[i].number];
        tournament_[leaves_ + i] = additive_cost(ports_[i], loads_[i]);
    }
}

void PortCostState::rebuild_costs() {
    objective_.sum_squares = 0.0;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const double cost = tournament_[leaves_ + i];
        objective_.sum_squares += cost * cost;
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
        tournament_[i] = std::max(tournament_[2 * i], tournament_[2 * i + 1]);
    }
    objective_.max_s = tournament_[1];
    highest_squares_ = objective_.sum_squares;
}

PortLoad PortCostState::busiest_port() const {
    std::size_t i = 1;
    while (i < leaves_) i = tournament_[2 * i] >= tournament_[2 * i + 1] ? 2 * i : 2 * i + 1;
    const std::size_t index = i - leaves_;
    if (index >= ports_.size()) return {};
    PortLoad load = PortTable::load_of(ports_[index].number);
    load.cost_s = tournament_[i];
    load.bytes = exact_ ? exact_->bytes_of(ports_[index].number, pu_of_rank_) : loads_[index].bytes;
    return load;
}

void PortCostState::begin_touching() {
    if (++epoch_ == 0) {  // wrapped round: every old mark would look new
        std::fill(touched_in_.begin(), touched_in_.end(), 0);
        epoch_ = 1;
    }
    touched_.clear();
    touched_cost_.clear();
}

void PortCostState::touch(std::uint32_t port, double cost_s) {
    assert(touched_in_[port] != epoch_ && "a port changes twice");
    touched_in_[port] = epoch_;
    touched_.push_back(port);
    touched_cost_.push_back(cost_s);
}

void PortCostState::change_sets() {
    for (const ExactChange::OfPort& change :
         exact_->of_exchange(pu_of_rank_, moved_[0].rank, moved_[0].to, moved_[1].rank)) {
        const std::uint32_t port = index_of_port_[change.port];
        if (port != no_id) touch(port, change.cost_s);
    }
}

/// The loads stay as they are until apply().
void PortCostState::change_sums() {
    touched_sum_.clear();
    if (!additive_) additive_.emplace(*table_);
    for (const AdditiveChange::OfPort& change :
         additive_->of_exchange(pu_of_rank_, moved_[0].rank, moved_[0].to, moved_[1].rank)) {
        const std::uint32_t port = index_of_port_[change.port];
        if (port == no_id) continue;
        Load sum = loads_[port];
        const std::int64_t messages = std::int64_t{sum.messages} + change.added.messages;
        assert(messages >= 0 && "a message leaves a port that it never used");
        sum = {sum.time_s + change.added.time_s, sum.bytes + change.added.bytes,
               static_cast<std::uint32_t>(messages)};
        touched_sum_.push_back(messages == 0 ? Load{} : sum);
        touch(port, additive_cost(ports_[port], touched_sum_.back()));
    }
}

double PortCostState::highest_untouched(double floor_s) const {
    // Depth first, the higher child first; a subtree that cannot beat what was found is cut off.
    std::array<std::size_t, 64> stack;
    std::size_t height = 0;
    stack[height++] = 1;
    while (height > 0) {
        const std::size_t i = stack[--height];
        if (tournament_[i] <= floor_s) continue;
        if (i >= leaves_) {
            if (touched_in_[i - leaves_] != epoch_) floor_s = tournament_[i];
            continue;
        }
        const bool left_higher = tournament_[2 * i] >= tournament_[2 * i + 1];
        stack[height++] = left_higher ? 2 * i + 1 : 2 * i;
        stack[height++] = left_higher ? 2 * i : 2 * i + 1;
    }
    return floor_s;
}

SearchObjective PortCostState::try_swap(RankId a, RankId b) {
    moved_[0] = {a, pu_of_rank_[b]};
    moved_[1] = {b, pu_of_rank_[a]};
    return finish_try();
}

SearchObjective PortCostState::try_move(RankId rank, PuId pu) {
    moved_[0] = {rank, pu};
    moved_[1] = {no_id, 0};
    return finish_try();
}

SearchObjective PortCostState::finish_try() {
    trying_ = true;
    ++num_tries_;
    begin_touching();
    if (exact_) {
        change_sets();
    } else {
        change_sums();
    }
    tried_ = {0.0, objective_.sum_squares};
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        const double before = tournament_[leaves_ + touched_[i]];
        const double after = touched_cost_[i];
        tried_.max_s = std::max(tried_.max_s, after);
        tried_.sum_squares += (after - before) * (after + before);
    }
    tried_.max_s = highest_untouched(tried_.max_s);
    return tried_;
}

void PortCostState::set_cost(std::uint32_t port, double cost_s) {
    std::size_t i = leaves_ + port;
    tournament_[i] = cost_s;
    for (i /= 2; i > 0; i /= 2) {
        const double highest = std::max(tournament_[2 * i], tournament_[2 * i + 1]);
        if (tournament_[i] == highest) break;
        tournament_[i] = highest;
    }
}

void PortCostState::apply() {
    assert(trying_ && "apply() without a try");
    trying_ = false;
    if (exact_) {
        for (const ExactChange::OfPort& change : exact_->keep()) {
            const std::uint32_t port = index_of_port_[change.port];
            if (port != no_id) set_cost(port, change.cost_s);
        }
    } else {
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            set_cost(touched_[i], touched_cost_[i]);
            loads_[touched_[i]] = touched_sum_[i];
        }
    }
    for (const Moved& m : moved_) {
        if (m.rank != no_id) pu_of_rank_[m.rank] = m.to;
    }
    objective_ = tried_;
    // sum_squares is a running sum: start it afresh before rounding shows, which is also when it
    // has become small beside what it was.
    highest_squares_ = std::max(highest_squares_, objective_.sum_squares);
    if (++num_applied_ % 4096 == 0 || objective_.sum_squares < 1e-6 * highest_squares_) {
        rebuild_costs();
    }
    assert((num_applied_ % 4096 != 1 || agrees_with_fresh()) &&
           "the state has drifted from its placement");
}

bool PortCostState::agrees_with_fresh() const {
    const PortCostState fresh(table_, hct_, pu_of_rank_, detail_);
    const double tolerance = 1e-6 * std::max(fresh.objective_.max_s, objective_.max_s);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const double difference = tournament_[leaves_ + i] - fresh.tournament_[leaves_ + i];
        if (std::abs(difference) > tolerance) return false;
    }
    const double squares = std::max(fresh.objective_.sum_squares, objective_.sum_squares);
    return std::abs(fresh.objective_.sum_squares - objective_.sum_squares) <= 1e-6 * squares;
}

}  // namespace commmap
