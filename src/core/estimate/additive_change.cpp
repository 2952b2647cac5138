// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

AdditiveChange::AdditiveChange(const RunCost& run)
    : run_(run),
      table_(run.whole()),
      known_(table_.num_ranks(), 0),
      sent_(table_.num_ranks() * run.num_parts()),
      received_(sent_.size()) {
    const std::size_t entries = 2 * sent_.size() * table_.num_classes();
    if (entries * sizeof(double) <= max_total_bytes) times_s_.resize(entries);
}

void AdditiveChange::make_chains(PuId from, PuId to) {
    here_.clear();
    there_.clear();
    ElementId x = table_.element_of(from);
    ElementId y = table_.element_of(to);
    const auto climb = [&](Chain& chain, ElementId& element) {
        const PortTable::Step& step = table_.step(element);
        chain.push_back({element, step, table_.in_port_of(element), nullptr, nullptr, nullptr});
        element = step.parent;
    };
    while (x != y) {
        const std::uint32_t depth_x = table_.step(x).depth;
        const std::uint32_t depth_y = table_.step(y).depth;
        if (depth_x >= depth_y) climb(here_, x);
        if (depth_y >= depth_x) climb(there_, y);
    }
    top_ = x;
    make_sums();
}

/// Gives each link of both chains sums of 0.
void AdditiveChange::make_sums() {
    const std::size_t num_parts = run_.num_parts();
    sums_.assign((3 * (here_.size() + there_.size()) + 1) * num_parts, {});
    Sums* next = sums_.data();
    const auto take = [&] {
        Sums* const taken = next;
        next += num_parts;
        return taken;
    };
    for (Chain* chain : {&here_, &there_}) {
        for (Link& link : *chain) {
            link.out = take();
            link.in = link.step.half_duplex ? link.out : take();
            link.through = take();
        }
    }
    top_through_ = take();
}

void AdditiveChange::learn(RankId rank) {
    if (known_[rank] != 0) return;
    known_[rank] = 1;
    const std::size_t num_classes = table_.num_classes();
    for (std::size_t part = 0; part < run_.num_parts(); ++part) {
        const PortTable& table = run_.part(part);
        const std::size_t place = of_rank(rank) + part;
        const auto sum = [&](std::span<const PortTable::PeerMessages> messages,
                             RankTraffic& traffic, std::size_t direction) {
            traffic.messages = static_cast<std::int64_t>(messages.size());
            for (const PortTable::PeerMessages& m : messages)
                traffic.bytes += table.bytes_of(m.kind);
            if (times_s_.empty()) return;
            double* const times = times_s_.data() + 2 * num_classes * place + direction;
            for (const PortTable::PeerMessages& m : messages) {
                for (std::uint32_t c = 0; c < num_classes; ++c)
                    times[std::size_t{2} * c] += table.time_at_class_s(m.kind, c);
            }
        };
        sum(table.sent_by(rank), sent_[place], 0);
        sum(table.received_by(rank), received_[place], 1);
    }
}

double AdditiveChange::total_time_s(std::size_t part, RankId rank, bool sent,
                                    std::uint32_t port_class) const {
    if (!times_s_.empty()) {
        const std::size_t place = of_rank(rank) + part;
        return times_s_[2 * (table_.num_classes() * place + port_class) + (sent ? 0 : 1)];
    }
    const PortTable& table = run_.part(part);
    double time_s = 0.0;
    for (const PortTable::PeerMessages& m : sent ? table.sent_by(rank) : table.received_by(rank))
        time_s += table.time_at_class_s(m.kind, port_class);
    return time_s;
}

void AdditiveChange::add_all(Chain& chain, std::size_t part, RankId rank, double sign) {
    const RankTraffic& out = sent_[of_rank(rank) + part];
    const RankTraffic& in = received_[of_rank(rank) + part];
    if (out.messages == 0 && in.messages == 0) return;
    for (Link& link : chain) {
        const std::uint32_t port = 3 * link.element;
        const std::uint32_t in_class = table_.class_of(link.in_port);
        add_to(link.out[part], total_time_s(part, rank, true, table_.class_of(port)), out.bytes,
               out.messages, sign);
        add_to(link.in[part], total_time_s(part, rank, false, in_class), in.bytes, in.messages,
               sign);
        if (!link.step.bounded) continue;
        const std::uint32_t c = table_.class_of(port + 2);
        add_to(link.through[part], total_time_s(part, rank, true, c), out.bytes, out.messages,
               sign);
        add_to(link.through[part], total_time_s(part, rank, false, c), in.bytes, in.messages, sign);
    }
}

/// Corrects add_all(), which takes each message as going up the whole chain, for a peer below the
/// chain's top link.
///
/// If the rank is at the chain's own end, the path turns at the lowest link that holds the peer,
/// and goes no higher. If the rank is at the other end, the path comes down from the common
/// ancestor to that link.
/// @param sign +1 if the rank leaves this chain, -1 if the rank comes to this chain
void AdditiveChange::pass_top(Chain& chain, std::size_t part, PuId peer, std::uint32_t kind,
                              double sign) {
    const PortTable& table = run_.part(part);
    const double bytes = table.bytes_of(kind);
    std::size_t lowest = chain.size() - 1;
    while (lowest > 0 && chain[lowest - 1].step.holds(peer)) --lowest;
    for (std::size_t i = lowest; i < chain.size(); ++i) {
        Link& link = chain[i];
        const std::uint32_t port = 3 * link.element;
        add_to(link.out[part], table.time_s(kind, port), bytes, 1, sign);
        add_to(link.in[part], table.time_s(kind, link.in_port), bytes, 1, sign);
        if (!link.step.bounded) continue;
        // At the lowest link the message turned before and passes now, so only the subtraction of
        // add_all() is undone. Above, the message was never there, and passes now: 2.
        const std::int64_t times = i == lowest ? 1 : 2;
        add_to(link.through[part], static_cast<double>(times) * table.time_s(kind, port + 2),
               static_cast<double>(times) * bytes, times, sign);
    }
    if (table_.step(top_).bounded)
        add_to(top_through_[part], table.time_s(kind, 3 * top_ + 2), bytes, 1, sign);
}

void AdditiveChange::move(Chain& from, Chain& to, RankId rank, RankId other,
                          std::span<const PuId> pu_of_rank) {
    learn(rank);
    const PortTable::Step near = from.back().step;
    const PortTable::Step far = to.back().step;
    for (std::size_t part = 0; part < run_.num_parts(); ++part) {
        add_all(from, part, rank, -1.0);
        add_all(to, part, rank, 1.0);
        const PortTable& table = run_.part(part);
        for (const auto& messages : {table.sent_by(rank), table.received_by(rank)}) {
            for (const PortTable::PeerMessages& m : messages) {
                const PuId peer = pu_of_rank[m.peer];
                const bool is_near = near.holds(peer);
                // add_all() of both ranks is exact for messages between the two that change places.
                if ((!is_near && !far.holds(peer)) || m.peer == other) continue;
                pass_top(is_near ? from : to, part, peer, m.kind, is_near ? 1.0 : -1.0);
            }
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
            if (!link.step.half_duplex) changes_.push_back({link.in_port, link.in});
            if (link.step.bounded) changes_.push_back({3 * link.element + 2, link.through});
        }
    }
    if (table_.step(top_).bounded) changes_.push_back({3 * top_ + 2, top_through_});
    return changes_;
}

}  // namespace commmap
