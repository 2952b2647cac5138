#include "core/estimate/exact_change.hpp"

#include <algorithm>
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
      peers_(num_parts_ * num_ranks_),
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
                peers_[part * num_ranks_ + rank].set(m.peer);
        }
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
    for (std::size_t part = 0; part < num_parts_; ++part) {
        PortFold fold;
        for (RankId source = 0; source < num_ranks_; ++source) {
            if (peers(part, source).none()) continue;
            fold_into(fold, part, 3 * element + 2, source,
                      peers(part, source) & peers_through(element, below, source));
        }
        through_s_[part] = fold.cost_s;
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

/// @param among  whose messages from the source are meant
void ExactChange::fold_into(PortFold& fold, std::size_t part, std::uint32_t port, RankId source,
                            const RankSet& among) const {
    if (among.none()) return;
    const PortTable& table = run_.part(part);
    double time_s = 0.0;
    double bytes = 0.0;
    for (const PortTable::Message& m : table.sent_by(source)) {
        if (!among.test(m.peer)) continue;
        time_s += table.time_s(m.kind, port);
        bytes += table.bytes_of(m.kind);
    }
    fold.add(time_s, bytes, table.max_bandwidth_bytes_per_s(port));
}

void ExactChange::work_out(ElementId element, const RankSet& below, double* costs_s) const {
    for (std::size_t part = 0; part < num_parts_; ++part) {
        PortFold out;
        PortFold in;
        for (RankId source = 0; source < num_ranks_; ++source) {
            if (below.test(source)) {
                fold_into(out, part, 3 * element, source, peers(part, source) & ~below);
            } else {
                fold_into(in, part, 3 * element + 1, source, peers(part, source) & below);
            }
        }
        costs_s[part] = out.cost_s;
        costs_s[num_parts_ + part] = in.cost_s;
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
