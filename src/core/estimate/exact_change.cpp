// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/exact_change.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <functional>
#include <utility>

namespace commmap {

namespace {

/// Returns how many sets are remembered: a power of two, because costs_of() masks a hash with it.
std::size_t num_remembered(std::size_t num_parts) {
    const std::size_t fit = ExactChange::max_remembered_bytes / (2 * num_parts * sizeof(double));
    return std::bit_floor(std::min(ExactChange::most_remembered, fit));
}

}  // namespace

ExactChange::ExactChange(const RunCost& run, Placement placement)
    : run_(run),
      table_(run.whole()),
      num_parts_(run.num_parts()),
      num_ranks_(table_.num_ranks()),
      sets_(table_.num_ports() / 3),
      times_s_(table_.num_classes()),
      remembered_(num_remembered(num_parts_)),
      remembered_s_(std::make_unique_for_overwrite<double[]>(2 * num_parts_ * remembered_.size())),
      nothing_s_(2 * num_parts_),
      through_s_(num_parts_),
      changes_(num_parts_),
      placement_(placement) {
    assert(num_ranks_ <= max_ranks && "too many ranks for a set of them");
    for (std::size_t part = 0; part < num_parts_; ++part) {
        for (RankId rank = 0; rank < num_ranks_; ++rank) {
            const auto first = static_cast<std::uint32_t>(sent_.size());
            for (const PortTable::PeerMessages& m : run.part(part).sent_by(rank))
                sent_.push_back({m.peer, m.kind, run.part(part).bytes_of(m.kind)});
            const auto end = static_cast<std::uint32_t>(sent_.size());
            if (end != first)
                senders_.push_back({rank, static_cast<std::uint32_t>(part), first, end});
        }
    }
    for (RankId rank = 0; rank < num_ranks_; ++rank) {
        all_.set(rank);
        for (ElementId e = table_.element_of(placement[rank]); e != no_id;
             e = table_.step(e).parent)
            sets_[e].set(rank);
    }
}

const ExactChange::Ports& ExactChange::of_exchange(Placement placement, RankId rank, PuId to,
                                                   RankId other) {
    placement_ = placement;
    rank_ = rank;
    other_ = other;
    from_ = placement[rank];
    to_ = to;
    add_all<false>();
    return changes_;
}

const ExactChange::Ports& ExactChange::keep() {
    add_all<true>();
    const auto flip = [&](PuId pu) {
        for (ElementId e = table_.element_of(pu); e != no_id; e = table_.step(e).parent)
            sets_[e] = after(sets_[e]);
    };
    flip(from_);  // the two calls flip all elements above the common ancestor twice: no change
    flip(to_);
    rank_ = other_ = no_id;
    return changes_;
}

template <bool WithEqual>
void ExactChange::add_all() {
    changes_.clear();
    ElementId x = table_.element_of(from_);
    ElementId y = table_.element_of(to_);
    const auto add = [&](ElementId element) {
        const RankSet below = after(sets_[element]);
        add_ports(element, below);
        add_through(element, below);
    };
    while (x != y) {
        const PortTable::Step& step_x = table_.step(x);
        const PortTable::Step& step_y = table_.step(y);
        const bool equal = step_x.depth == step_y.depth && step_x.bounded == 0 &&
                           step_y.bounded == 0 && after(sets_[x]) == sets_[y] &&
                           table_.class_of(3 * x) == table_.class_of(3 * y);
        const bool climb_x = step_x.depth >= step_y.depth;
        const bool climb_y = step_y.depth >= step_x.depth;
        if (climb_x) {
            if (WithEqual || !equal) add(x);
            x = step_x.parent;
        }
        if (climb_y) {
            if (WithEqual || !equal) add(y);
            y = step_y.parent;
        }
    }
    if (from_ != to_) add_through(x, sets_[x]);
}

/// Returns the ranks below an element after the exchange that is tried, if there is one.
ExactChange::RankSet ExactChange::set_of(ElementId element) const {
    const PortTable::Step& step = table_.step(element);
    const bool is_changed = rank_ != no_id && step.holds(from_) != step.holds(to_);
    return is_changed ? after(sets_[element]) : sets_[element];
}

PuId ExactChange::pu_of(RankId rank) const {
    if (rank == rank_) return to_;
    return rank == other_ ? from_ : placement_[rank];
}

void ExactChange::add_ports(ElementId element, const RankSet& below) {
    if (table_.is_free(3 * element) && table_.is_free(3 * element + 1)) return;
    const Costs costs = costs_of(element, below);
    changes_.add(3 * element, costs.out_s);
    if (!table_.step(element).half_duplex) changes_.add(3 * element + 1, costs.in_s);
}

/// Adds the element's `through` port: it carries the messages that turn at the element, and those
/// that enter or leave through it.
void ExactChange::add_through(ElementId element, const RankSet& below) {
    if (table_.step(element).bounded == 0) return;
    const Direction none = direction_of(3 * element + 2);
    const double* const times_s = times_at(none.port_class);
    std::fill(through_s_.begin(), through_s_.end(), 0.0);
    for (std::size_t i = 0; i < senders_.size();) {
        Direction through = none;
        const std::uint32_t part = senders_[i].part;
        for (; i < senders_.size() && senders_[i].part == part; ++i) {
            const RankSet among = peers_through(element, below, senders_[i].source);
            fold(through, senders_[i], times_s, [&](RankId peer) { return among.test(peer); });
        }
        through_s_[part] = through.fold.cost_s;
    }
    changes_.add(3 * element + 2, through_s_.data());
}

ExactChange::Costs ExactChange::costs_of(ElementId element, const RankSet& below) {
    if (below.none()) return {nothing_s_.data(), nothing_s_.data()};
    Direction out = direction_of(3 * element);
    Direction in = direction_of(table_.in_port_of(element));
    // The messages that leave this set enter the set of all others. The set without rank 0 stands
    // for both.
    const bool is_turned = below.test(0);
    const RankSet set = is_turned ? all_ ^ below : below;
    if (set.none()) return {nothing_s_.data(), nothing_s_.data()};
    if (is_turned) std::swap(out, in);
    const std::size_t mixed = std::hash<RankSet>{}(set) ^ (out.port_class * 0x9E3779B97F4A7C15ULL);
    const std::size_t place = (mixed ^ (mixed >> 32U)) & (remembered_.size() - 1);
    Remembered& known = remembered_[place];
    const bool is_new = known.set.none();
    if (is_new) known.slot = num_slots_++;
    double* const costs_s = remembered_s_.get() + 2 * num_parts_ * known.slot;
    if (is_new || known.set != set || known.out_class != out.port_class ||
        known.in_class != in.port_class) {
        if (out.port_class == in.port_class) {
            work_out<true>(set, out, in, costs_s);
        } else {
            work_out<false>(set, out, in, costs_s);
        }
        known = {set, out.port_class, in.port_class, known.slot};
    }
    const Costs costs{costs_s, costs_s + num_parts_};
    return is_turned ? Costs{costs.in_s, costs.out_s} : costs;
}

/// Returns the times of all entries of sent_ at a class of ports, in one array. A search spends
/// most of its time in folding these times.
const double* ExactChange::times_at(std::uint32_t port_class) {
    std::vector<double>& times_s = times_s_[port_class];
    if (times_s.empty()) {
        times_s.reserve(sent_.size());
        for (const Sender& sender : senders_) {
            const PortTable& table = run_.part(sender.part);
            for (std::uint32_t i = sender.first; i < sender.end; ++i)
                times_s.push_back(table.time_at_class_s(sent_[i].kind, port_class));
        }
    }
    return times_s.data();
}

/// Folds the messages that a rank sends to some others.
/// @param is_meant  tells whether messages to a rank are folded
template <class IsMeant>
void ExactChange::fold(Direction& into, const Sender& sender, const double* times_s,
                       IsMeant&& is_meant) const {
    double time_s = 0.0;
    double bytes = 0.0;
    bool any = false;
    for (std::uint32_t i = sender.first; i < sender.end; ++i) {
        // A branch here would be unpredictable.
        const bool meant = is_meant(sent_[i].peer);
        const double times = meant ? 1.0 : 0.0;
        time_s += times * times_s[i];
        bytes += times * sent_[i].bytes;
        any |= meant;
    }
    if (any) into.fold.add(time_s, bytes, into.max_bandwidth_bytes_per_s);
}

/// Computes the costs of a set's two ports: those of the out port by part, then those of the in
/// port.
/// @tparam HalfDuplex  whether one port folds the messages of both directions. Only the ports of a
///                     half-duplex link have the same class in both
template <bool HalfDuplex>
void ExactChange::work_out(const RankSet& set, const Direction& out, const Direction& in,
                           double* costs_s) {
    std::array<bool, max_ranks> is_in_set;
    for (RankId rank = 0; rank < num_ranks_; ++rank) is_in_set[rank] = set.test(rank);
    const double* const out_times_s = times_at(out.port_class);
    const double* const in_times_s = times_at(in.port_class);
    std::fill(costs_s, costs_s + 2 * num_parts_, 0.0);
    for (std::size_t i = 0; i < senders_.size();) {
        Direction leaving = out;
        Direction coming = in;
        const std::uint32_t part = senders_[i].part;
        for (; i < senders_.size() && senders_[i].part == part; ++i) {
            const bool inside = is_in_set[senders_[i].source];
            fold(HalfDuplex || inside ? leaving : coming, senders_[i],
                 inside ? out_times_s : in_times_s,
                 [&](RankId peer) { return is_in_set[peer] != inside; });
        }
        costs_s[part] = leaving.fold.cost_s;
        costs_s[num_parts_ + part] = (HalfDuplex ? leaving : coming).fold.cost_s;
    }
}

/// Returns the ranks to which messages from the source go through the element or turn there.
ExactChange::RankSet ExactChange::peers_through(ElementId element, const RankSet& below,
                                                RankId source) const {
    if (!below.test(source)) return below;
    ElementId child = table_.element_of(pu_of(source));
    while (table_.step(child).parent != element) child = table_.step(child).parent;
    return ~set_of(child);
}

}  // namespace commmap
