#include "core/estimate/additive_change.hpp"

namespace commmap {

namespace {

void add_to(AdditiveChange::Sums& sums, double time_s, double bytes, std::int64_t messages,
            double sign) {
    sums.time_s += sign * time_s;
    sums.bytes += sign * bytes;
    sums.messages += sign > 0.0 ? messages : -messages;
}

}  // namespace

AdditiveChange::AdditiveChange(const PortTable& table)
    : table_(table), sent_(table.num_ranks()), received_(table.num_ranks()) {
    const std::size_t entries = 2 * table.num_ranks() * table.num_classes();
    if (entries * sizeof(double) <= max_total_bytes) times_s_.resize(entries);
}

void AdditiveChange::make_chains(PuId from, PuId to) {
    here_.clear();
    there_.clear();
    ElementId x = table_.element_of(from);
    ElementId y = table_.element_of(to);
    const auto climb = [&](Chain& chain, ElementId& element) {
        const PortTable::Step& step = table_.step(element);
        chain.push_back({element, step, {}, {}, {}});
        element = step.parent;
    };
    while (x != y) {
        const std::uint32_t depth_x = table_.step(x).depth;
        const std::uint32_t depth_y = table_.step(y).depth;
        if (depth_x >= depth_y) climb(here_, x);
        if (depth_y >= depth_x) climb(there_, y);
    }
    top_ = x;
    top_through_ = {};
}

void AdditiveChange::learn(RankId rank) {
    if (sent_[rank].known) return;
    sent_[rank].known = true;
    const std::size_t num_classes = table_.num_classes();
    const auto sum = [&](std::span<const PortTable::Message> messages, Totals& totals,
                         std::size_t direction) {
        totals.messages = static_cast<std::int64_t>(messages.size());
        for (const PortTable::Message& m : messages) totals.bytes += table_.bytes_of(m.kind);
        if (times_s_.empty()) return;
        double* const times = times_s_.data() + 2 * num_classes * rank + direction;
        for (const PortTable::Message& m : messages) {
            for (std::uint32_t c = 0; c < num_classes; ++c)
                times[std::size_t{2} * c] += table_.time_at_class_s(m.kind, c);
        }
    };
    sum(table_.sent_by(rank), sent_[rank], 0);
    sum(table_.received_by(rank), received_[rank], 1);
}

double AdditiveChange::total_time_s(RankId rank, bool sent, std::uint32_t port_class) const {
    if (!times_s_.empty())
        return times_s_[2 * (table_.num_classes() * rank + port_class) + (sent ? 0 : 1)];
    double time_s = 0.0;
    for (const PortTable::Message& m : sent ? table_.sent_by(rank) : table_.received_by(rank))
        time_s += table_.time_at_class_s(m.kind, port_class);
    return time_s;
}

void AdditiveChange::add_all(Chain& chain, RankId rank, double sign) {
    const Totals& out = sent_[rank];
    const Totals& in = received_[rank];
    for (Link& link : chain) {
        const std::uint32_t port = 3 * link.element;
        add_to(link.out, total_time_s(rank, true, table_.class_of(port)), out.bytes, out.messages,
               sign);
        add_to(link.in, total_time_s(rank, false, table_.class_of(port + 1)), in.bytes, in.messages,
               sign);
        if (!link.step.bounded) continue;
        const std::uint32_t c = table_.class_of(port + 2);
        add_to(link.through, total_time_s(rank, true, c), out.bytes, out.messages, sign);
        add_to(link.through, total_time_s(rank, false, c), in.bytes, in.messages, sign);
    }
}

/// The peer is below the chain's top link: seen from the chain's own end the path turns at the
/// lowest link that holds the peer and goes no higher, seen from the other end it comes down from
/// the common ancestor to that link. add_all() took it as going up the whole chain.
/// @param sign +1 when the rank leaves this chain, -1 when it comes
void AdditiveChange::pass_top(Chain& chain, PuId peer, std::uint32_t kind, double sign) {
    const double bytes = table_.bytes_of(kind);
    std::size_t lowest = chain.size() - 1;
    while (lowest > 0 && chain[lowest - 1].step.holds(peer)) --lowest;
    for (std::size_t i = lowest; i < chain.size(); ++i) {
        Link& link = chain[i];
        const std::uint32_t port = 3 * link.element;
        add_to(link.out, table_.time_s(kind, port), bytes, 1, sign);
        add_to(link.in, table_.time_s(kind, port + 1), bytes, 1, sign);
        if (!link.step.bounded) continue;
        // Where it turned it also passes now; above, it was taken off without having been there.
        const std::int64_t times = i == lowest ? 1 : 2;
        add_to(link.through, static_cast<double>(times) * table_.time_s(kind, port + 2),
               static_cast<double>(times) * bytes, times, sign);
    }
    if (table_.step(top_).bounded)
        add_to(top_through_, table_.time_s(kind, 3 * top_ + 2), bytes, 1, sign);
}

void AdditiveChange::move(Chain& from, Chain& to, RankId rank, RankId other,
                          std::span<const PuId> pu_of_rank) {
    learn(rank);
    add_all(from, rank, -1.0);
    add_all(to, rank, 1.0);
    const PortTable::Step near = from.back().step;
    const PortTable::Step far = to.back().step;
    for (const auto& messages : {table_.sent_by(rank), table_.received_by(rank)}) {
        for (const PortTable::Message& m : messages) {
            const PuId peer = pu_of_rank[m.peer];
            const bool is_near = near.holds(peer);
            // Between the two that change places all is said by add_all() of both.
            if ((!is_near && !far.holds(peer)) || m.peer == other) continue;
            pass_top(is_near ? from : to, peer, m.kind, is_near ? 1.0 : -1.0);
        }
    }
}

std::span<const AdditiveChange::OfPort> AdditiveChange::of_exchange(
    std::span<const PuId> pu_of_rank, RankId rank, PuId to, RankId other) {
    changes_.clear();
    if (pu_of_rank[rank] == to) return changes_;
    make_chains(pu_of_rank[rank], to);
    move(here_, there_, rank, other, pu_of_rank);
    if (other != no_id) move(there_, here_, other, rank, pu_of_rank);
    for (const Chain* chain : {&here_, &there_}) {
        for (const Link& link : *chain) {
            changes_.push_back({3 * link.element, link.out});
            changes_.push_back({3 * link.element + 1, link.in});
            if (link.step.bounded) changes_.push_back({3 * link.element + 2, link.through});
        }
    }
    if (table_.step(top_).bounded) changes_.push_back({3 * top_ + 2, top_through_});
    return changes_;
}

}  // namespace commmap
