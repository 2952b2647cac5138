#include "core/estimate/exact_change.hpp"

#include <cassert>
#include <functional>

namespace commmap {

ExactChange::ExactChange(const PortTable& table, Placement placement)
    : table_(table),
      sets_(table.num_ports() / 3),
      peers_(table.num_ranks()),
      remembered_(num_remembered),
      placement_(placement) {
    assert(table.num_ranks() <= max_ranks && "too many ranks for a set of them");
    for (RankId rank = 0; rank < table.num_ranks(); ++rank) {
        for (const PortTable::Message& m : table.sent_by(rank)) peers_[rank].set(m.peer);
        for (ElementId e = table.element_of(placement[rank]); e != no_id; e = table.step(e).parent)
            sets_[e].set(rank);
    }
}

std::span<const ExactChange::OfPort> ExactChange::of_exchange(Placement placement, RankId rank,
                                                              PuId to, RankId other) {
    placement_ = placement;
    rank_ = rank;
    other_ = other;
    from_ = placement[rank];
    to_ = to;
    add_all<false>();
    return changes_;
}

std::span<const ExactChange::OfPort> ExactChange::keep() {
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
    const Costs costs = costs_of(element, below);
    changes_.push_back({3 * element, costs.out_s});
    changes_.push_back({3 * element + 1, costs.in_s});
}

void ExactChange::add_through(ElementId element, const RankSet& below) {
    if (table_.step(element).bounded != 0)
        changes_.push_back({3 * element + 2, through(element, below).cost_s});
}

ExactChange::Costs ExactChange::costs_of(ElementId element, const RankSet& below) {
    if (below.none()) return {};
    const std::uint32_t out_class = table_.class_of(3 * element);
    const std::uint32_t in_class = table_.class_of(3 * element + 1);
    const std::size_t mixed = std::hash<RankSet>{}(below) ^ (out_class * 0x9E3779B97F4A7C15ULL);
    Remembered& known = remembered_[(mixed ^ (mixed >> 32U)) % num_remembered];
    if (known.below != below || known.out_class != out_class || known.in_class != in_class)
        known = {below, out_class, in_class, work_out(element, below)};
    return known.costs;
}

/// @param peers  whose messages from the source are meant
void ExactChange::fold_into(PortFold& fold, std::uint32_t port, RankId source,
                            const RankSet& peers) const {
    if (peers.none()) return;
    double time_s = 0.0;
    double bytes = 0.0;
    for (const PortTable::Message& m : table_.sent_by(source)) {
        if (!peers.test(m.peer)) continue;
        time_s += table_.time_s(m.kind, port);
        bytes += table_.bytes_of(m.kind);
    }
    fold.add(time_s, bytes, table_.max_bandwidth_bytes_per_s(port));
}

ExactChange::Costs ExactChange::work_out(ElementId element, const RankSet& below) const {
    PortFold out;
    PortFold in;
    for (RankId source = 0; source < peers_.size(); ++source) {
        if (below.test(source)) {
            fold_into(out, 3 * element, source, peers_[source] & ~below);
        } else {
            fold_into(in, 3 * element + 1, source, peers_[source] & below);
        }
    }
    return {out.cost_s, in.cost_s};
}

/// What turns at the element, and what comes or goes through it.
PortFold ExactChange::through(ElementId element, const RankSet& below) const {
    PortFold fold;
    for (RankId source = 0; source < peers_.size(); ++source) {
        RankSet peers = peers_[source] & below;
        if (below.test(source)) {
            ElementId child = table_.element_of(pu_of(source));
            while (table_.step(child).parent != element) child = table_.step(child).parent;
            peers = peers_[source] & ~set_of(child);
        }
        fold_into(fold, 3 * element + 2, source, peers);
    }
    return fold;
}

double ExactChange::bytes_of(std::uint32_t port, Placement placement) const {
    double bytes = 0.0;
    for (RankId source = 0; source < peers_.size(); ++source) {
        for (const PortTable::Message& m : table_.sent_by(source)) {
            table_.for_each_port(placement[source], placement[m.peer], [&](std::uint32_t used) {
                if (used == port) bytes += table_.bytes_of(m.kind);
            });
        }
    }
    return bytes;
}

}  // namespace commmap
