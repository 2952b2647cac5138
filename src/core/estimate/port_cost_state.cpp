// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_cost_state.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/base/cost_order.hpp"

namespace commmap {

bool better(const SearchObjective& a, const SearchObjective& b) {
    constexpr double same_squares = 1e-11;
    if (clearly_differ(a.time_s, b.time_s)) return a.time_s < b.time_s;
    return clearly_cheaper(a.sum_squares, b.sum_squares, same_squares);
}

PortCostState::PortCostState(const CommGraph& graph, const Hct& hct, Placement placement,
                             Detail detail)
    : PortCostState(std::make_shared<const PortTable>(graph, hct), hct, placement, detail) {}

PortCostState::PortCostState(std::shared_ptr<const PortTable> table, const Hct& hct,
                             Placement placement, Detail detail)
    : PortCostState(std::make_shared<const RunCost>(std::move(table)), {}, hct, placement, detail) {
}

PortCostState::PortCostState(std::shared_ptr<const RunCost> run, RunTime time, const Hct& hct,
                             Placement placement, Detail detail)
    : hct_(hct),
      detail_(detail),
      run_(std::move(run)),
      time_(std::move(time)),
      num_parts_(run_->num_parts()),
      pu_of_rank_(placement.begin(), placement.end()),
      index_of_port_(run_->whole().num_ports(), no_id) {
    const PortTable& table = run_->whole();
    assert(placement.size() == table.num_ranks() && "the placement does not fit");
    assert(time_.per_step.size() == run_->num_steps() && "a weight for each step");
    for (std::size_t part = 0; part < num_parts_; ++part)
        squared_weights_.push_back(time_.weight(part) * time_.weight(part));
    for (std::uint32_t p = 0; p < table.num_ports(); ++p) {
        if (table.is_free(p)) continue;
        index_of_port_[p] = static_cast<std::uint32_t>(ports_.size());
        const Element& element = hct.element(p / 3);
        ports_.push_back({p, table.max_bandwidth_bytes_per_s(p),
                          static_cast<double>(std::max(1U, element.num_pus))});
    }
    leaves_ = std::bit_ceil(std::max<std::size_t>(1, ports_.size()));
    tournament_.assign(2 * leaves_ * num_parts_, 0.0);
    tried_rows_.assign(tournament_.size(), 0.0);
    tried_in_.assign(2 * leaves_, 0);
    if (detail_ == Detail::additive) {
        sum_up();
    } else {
        exact_.emplace(*run_, pu_of_rank_, [&](std::uint32_t port, const double* costs_s) {
            if (index_of_port_[port] != no_id)
                std::copy_n(costs_s, num_parts_, row(leaves_ + index_of_port_[port]));
        });
    }
    rebuild_costs();
}

void PortCostState::sum_up() {
    loads_.resize(ports_.size() * num_parts_);
    for (std::size_t part = 0; part < num_parts_; ++part) {
        const PortTable& table = run_->part(part);
        for (RankId source = 0; source < pu_of_rank_.size(); ++source) {
            for (const PortTable::PeerMessages& m : table.sent_by(source)) {
                const double bytes = table.bytes_of(m.kind);
                table.for_each_port(pu_of_rank_[source], pu_of_rank_[m.peer], [&](std::uint32_t p) {
                    if (index_of_port_[p] == no_id) return;
                    Load& load = loads_[index_of_port_[p] * num_parts_ + part];
                    load.time_s += table.time_s(m.kind, p);
                    load.bytes += bytes;
                    ++load.messages;
                });
            }
        }
    }
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        for (std::size_t part = 0; part < num_parts_; ++part)
            row(leaves_ + i)[part] = additive_cost(ports_[i], loads_[i * num_parts_ + part]);
    }
}

void PortCostState::rebuild_costs() {
    objective_.sum_squares = 0.0;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
        const double* const costs_s = row(leaves_ + i);
        for (std::size_t part = 0; part < num_parts_; ++part)
            objective_.sum_squares += squared_weights_[part] * costs_s[part] * costs_s[part];
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
        for (std::size_t part = 0; part < num_parts_; ++part)
            row(i)[part] = std::max(row(2 * i)[part], row(2 * i + 1)[part]);
    }
    objective_.time_s = time_.of(row(1));
    highest_squares_ = objective_.sum_squares;
}

PortLoad PortCostState::busiest_port(std::size_t part) const {
    std::size_t i = 1;
    while (i < leaves_) i = row(2 * i)[part] >= row(2 * i + 1)[part] ? 2 * i : 2 * i + 1;
    const std::size_t index = i - leaves_;
    if (index >= ports_.size()) return {};
    const std::uint32_t port = ports_[index].number;
    const PortTable& table = run_->part(part);
    PortLoad load = table.load_of(port);
    load.cost_s = row(i)[part];
    for (RankId source = 0; source < pu_of_rank_.size(); ++source) {
        for (const PortTable::PeerMessages& m : table.sent_by(source)) {
            table.for_each_port(pu_of_rank_[source], pu_of_rank_[m.peer], [&](std::uint32_t used) {
                if (used == port) load.bytes += table.bytes_of(m.kind);
            });
        }
    }
    return load;
}

void PortCostState::begin_touching() {
    if (++epoch_ == 0) {  // after an overflow old marks would look new
        std::fill(tried_in_.begin(), tried_in_.end(), 0);
        epoch_ = 1;
    }
    touched_.clear();
}

/// Marks the port as changed by the try.
/// @return  room for the port's new costs, by part
double* PortCostState::touch(std::uint32_t port) {
    const std::size_t place = leaves_ + port;
    assert(tried_in_[place] != epoch_ && "a port changes twice");
    tried_in_[place] = epoch_;
    touched_.push_back(port);
    return tried_rows_.data() + place * num_parts_;
}

void PortCostState::change_sets() {
    const ExactChange::Ports& changed =
        exact_->of_exchange(pu_of_rank_, moved_[0].rank, moved_[0].to, moved_[1].rank);
    for (std::size_t i = 0; i < changed.size(); ++i) {
        const std::uint32_t port = index_of_port_[changed.number(i)];
        if (port != no_id) std::copy_n(changed.costs_s(i), num_parts_, touch(port));
    }
}

/// Computes the touched ports' new sums and costs. loads_ stays as it is until apply().
void PortCostState::change_sums() {
    touched_sums_.clear();
    if (!additive_) additive_.emplace(*run_);
    for (const AdditiveChange::OfPort& change :
         additive_->of_exchange(pu_of_rank_, moved_[0].rank, moved_[0].to, moved_[1].rank)) {
        const std::uint32_t port = index_of_port_[change.port];
        if (port == no_id) continue;
        double* const costs_s = touch(port);
        for (std::size_t part = 0; part < num_parts_; ++part) {
            const AdditiveChange::Sums& added = change.added[part];
            Load sum = loads_[port * num_parts_ + part];
            const std::int64_t messages = std::int64_t{sum.messages} + added.messages;
            assert(messages >= 0 && "a message leaves a port that it never used");
            sum = {sum.time_s + added.time_s, sum.bytes + added.bytes,
                   static_cast<std::uint32_t>(messages)};
            touched_sums_.push_back(messages == 0 ? Load{} : sum);
            costs_s[part] = additive_cost(ports_[port], touched_sums_.back());
        }
    }
}

/// Carries the touched ports' costs up the tournament tree, level by level. A row that does not
/// change ends the way up.
/// @return  the highest cost of all ports, by part
const double* PortCostState::climb() {
    climbing_.clear();
    for (const std::uint32_t port : touched_) climbing_.push_back(leaves_ + port);
    while (!climbing_.empty() && climbing_.front() != 1) {
        std::size_t kept = 0;
        for (const std::size_t place : climbing_) {
            const std::size_t above = place / 2;
            if (tried_in_[above] == epoch_) continue;
            const double* const left = tried_row(2 * above);
            const double* const right = tried_row(2 * above + 1);
            const double* const before = row(above);
            double* const highest = tried_rows_.data() + above * num_parts_;
            bool changes = false;
            for (std::size_t part = 0; part < num_parts_; ++part) {
                highest[part] = std::max(left[part], right[part]);
                changes = changes || highest[part] != before[part];
            }
            if (!changes) continue;
            tried_in_[above] = epoch_;
            climbing_[kept++] = above;
        }
        climbing_.resize(kept);
    }
    return tried_row(1);
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
    for (const std::uint32_t port : touched_) {
        const double* const before = row(leaves_ + port);
        const double* const after = tried_row(leaves_ + port);
        for (std::size_t part = 0; part < num_parts_; ++part)
            tried_.sum_squares += squared_weights_[part] * (after[part] - before[part]) *
                                  (after[part] + before[part]);
    }
    tried_.time_s = time_.of(climb());
    return tried_;
}

void PortCostState::set_costs(std::uint32_t port, const double* costs_s) {
    std::size_t place = leaves_ + port;
    std::copy_n(costs_s, num_parts_, row(place));
    for (place /= 2; place > 0; place /= 2) {
        bool changes = false;
        for (std::size_t part = 0; part < num_parts_; ++part) {
            const double highest = std::max(row(2 * place)[part], row(2 * place + 1)[part]);
            changes = changes || row(place)[part] != highest;
            row(place)[part] = highest;
        }
        if (!changes) break;
    }
}

void PortCostState::apply() {
    assert(trying_ && "apply() without a try");
    trying_ = false;
    if (exact_) {
        const ExactChange::Ports& changed = exact_->keep();
        for (std::size_t i = 0; i < changed.size(); ++i) {
            const std::uint32_t port = index_of_port_[changed.number(i)];
            if (port != no_id) set_costs(port, changed.costs_s(i));
        }
    } else {
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            set_costs(touched_[i], tried_row(leaves_ + touched_[i]));
            std::copy_n(touched_sums_.data() + i * num_parts_, num_parts_,
                        loads_.data() + touched_[i] * num_parts_);
        }
    }
    for (const Moved& m : moved_) {
        if (m.rank != no_id) pu_of_rank_[m.rank] = m.to;
    }
    objective_ = tried_;
    // sum_squares is a running sum. It is summed afresh before its rounding errors matter: after
    // many changes, and when the sum has become small beside its highest value.
    highest_squares_ = std::max(highest_squares_, objective_.sum_squares);
    if (++num_applied_ % 4096 == 0 || objective_.sum_squares < 1e-6 * highest_squares_) {
        rebuild_costs();
    }
    assert((num_applied_ % 4096 != 1 || agrees_with_fresh()) &&
           "the state has drifted from its placement");
}

bool PortCostState::agrees_with_fresh() const {
    const PortCostState fresh(run_, time_, hct_, pu_of_rank_, detail_);
    for (std::size_t part = 0; part < num_parts_; ++part) {
        const double tolerance = 1e-6 * std::max(fresh.row(1)[part], row(1)[part]);
        for (std::size_t i = leaves_; i < leaves_ + ports_.size(); ++i) {
            if (std::abs(row(i)[part] - fresh.row(i)[part]) > tolerance) return false;
        }
    }
    const double squares = std::max(fresh.objective_.sum_squares, objective_.sum_squares);
    return std::abs(fresh.objective_.sum_squares - objective_.sum_squares) <= 1e-6 * squares;
}

}  // namespace commmap
