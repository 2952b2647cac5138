#include "core/estimate/exact_change.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <functional>

namespace commmap {

namespace {

/// A power of two.
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
      first_sent_(1, 0),
      remembered_(num_remembered(num_parts_)),
      remembered_s_(2 * num_parts_ * remembered_.size()),
      nothing_s_(2 * num_parts_),
      through_s_(num_parts_),
      changes_(num_parts_),
      placement_(placement) {
    assert(num_ranks_ <= max_ranks && "too many ranks for a set of them");
    for (std::size_t part = 0; part < num_parts_; ++part) {
        for (RankId rank = 0; rank < num_ranks_; ++rank) {
            for (const PortTable::Message& m : run.part(part).sent_by(rank))
                sent_.push_back({rank, m.peer, m.kind});
        }
        first_sent_.push_back(sent_.size());
    }
    for (RankId rank = 0; rank < num_ranks_; ++rank) {
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
    flip(from_);  // above the common ancestor twice, so that nothing changes there
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

/// Of an element in the placement after the exchange.
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
    const double* const costs_s = costs_of(element, below);
    changes_.add(3 * element, costs_s);
    changes_.add(3 * element + 1, costs_s + num_parts_);
}

/// What turns at the element, and what comes or goes through it.
void ExactChange::add_through(ElementId element, const RankSet& below) {
    if (table_.step(element).bounded == 0) return;
    const Direction none = direction_of(3 * element + 2);
    for (std::size_t part = 0; part < num_parts_; ++part) {
        Direction through = none;
        for (std::span<const Sent> left = sent_in(part); !left.empty();) {
            const RankSet among = peers_through(element, below, left.front().source);
            left = fold_next(through, part, left, [&](RankId peer) { return among.test(peer); });
        }
        through_s_[part] = through.fold.cost_s;
    }
    changes_.add(3 * element + 2, through_s_.data());
}

/// By part: out, and then once more: in.
const double* ExactChange::costs_of(ElementId element, const RankSet& below) {
    if (below.none()) return nothing_s_.data();
    const std::uint32_t out_class = table_.class_of(3 * element);
    const std::uint32_t in_class = table_.class_of(3 * element + 1);
    const std::size_t mixed = std::hash<RankSet>{}(below) ^ (out_class * 0x9E3779B97F4A7C15ULL);
    const std::size_t place = (mixed ^ (mixed >> 32U)) & (remembered_.size() - 1);
    double* const costs_s = remembered_s_.data() + 2 * num_parts_ * place;
    Remembered& known = remembered_[place];
    if (known.below != below || known.out_class != out_class || known.in_class != in_class) {
        work_out(element, below, costs_s);
        known = {below, out_class, in_class};
    }
    return costs_s;
}

/// Folds what the first source of a list sends to some ranks. @return  the list of the other
/// sources
/// @param is_meant  tells of a rank whether messages to it are folded
template <class IsMeant>
std::span<const ExactChange::Sent> ExactChange::fold_next(Direction& into, std::size_t part,
                                                          std::span<const Sent> sent,
                                                          IsMeant&& is_meant) const {
    const PortTable& table = run_.part(part);
    const RankId source = sent.front().source;
    double time_s = 0.0;
    double bytes = 0.0;
    bool any = false;
    std::size_t i = 0;
    for (; i < sent.size() && sent[i].source == source; ++i) {
        if (!is_meant(sent[i].peer)) continue;
        time_s += table.time_at_class_s(sent[i].kind, into.port_class);
        bytes += table.bytes_of(sent[i].kind);
        any = true;
    }
    if (any) into.fold.add(time_s, bytes, into.max_bandwidth_bytes_per_s);
    return sent.subspan(i);
}

void ExactChange::work_out(ElementId element, const RankSet& below, double* costs_s) const {
    std::array<bool, max_ranks> is_below;  // a search spends most of its time here
    for (RankId rank = 0; rank < num_ranks_; ++rank) is_below[rank] = below.test(rank);
    const Direction none_out = direction_of(3 * element);
    const Direction none_in = direction_of(3 * element + 1);
    for (std::size_t part = 0; part < num_parts_; ++part) {
        Direction out = none_out;
        Direction in = none_in;
        for (std::span<const Sent> left = sent_in(part); !left.empty();) {
            const bool inside = is_below[left.front().source];
            left = fold_next(inside ? out : in, part, left,
                             [&](RankId peer) { return is_below[peer] != inside; });
        }
        costs_s[part] = out.fold.cost_s;
        costs_s[num_parts_ + part] = in.fold.cost_s;
    }
}

/// Ranks whose messages from the source go through the element.
ExactChange::RankSet ExactChange::peers_through(ElementId element, const RankSet& below,
                                                RankId source) const {
    if (!below.test(source)) return below;
    ElementId child = table_.element_of(pu_of(source));
    while (table_.step(child).parent != element) child = table_.step(child).parent;
    return ~set_of(child);
}

}  // namespace commmap
