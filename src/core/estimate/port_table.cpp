// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/port_table.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>

namespace commmap {

namespace {

/// Numbers the distinct keys in the order of their first use. The class is a hash table with open
/// addressing, because the constructor below looks up a key for each entry of the graph.
class KindNumbers {
public:
    struct Key {
        std::uint32_t rest = no_id;
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
        double waits_per_message = 1.0;
        bool operator==(const Key&) const = default;
    };

    /// @return the key's number; `is_new` tells whether this call gave the number
    std::uint32_t number_of(const Key& key, bool& is_new) {
        if (2 * (std::size_t{used_} + 1) > slots_.size()) grow();
        Slot& slot = slots_[place_of(key)];
        is_new = slot.number == no_id;
        if (is_new) slot = {key, used_++};
        return slot.number;
    }

private:
    struct Slot {
        Key key;
        std::uint32_t number = no_id;
    };
    [[nodiscard]] std::size_t place_of(const Key& key) const {
        const std::uint64_t mixed =
            key.count * 0x9E3779B97F4A7C15ULL ^
            (key.bytes + 0x7F4A7C15ULL) * 0xC2B2AE3D27D4EB4FULL ^
            (key.rest + 1ULL) * 0x165667B19E3779F9ULL ^
            std::bit_cast<std::uint64_t>(key.waits_per_message) * 0x27D4EB2F165667C5ULL;
        std::size_t place = (mixed ^ (mixed >> 32U)) & (slots_.size() - 1);
        while (slots_[place].number != no_id && slots_[place].key != key)
            place = (place + 1) & (slots_.size() - 1);
        return place;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.number != no_id) slots_[place_of(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64);  ///< a power of two
    std::uint32_t used_ = 0;
};

bool costs_nothing(const Channel& channel) {
    return channel.latency_ns <= 0.0 && channel.bandwidth.unlimited() &&
           std::isinf(channel.max_bandwidth_bytes_per_s);
}

}  // namespace

PortTable::PortTable(const CommGraph& graph, const Hct& hct,
                     std::span<const double> waits_per_message) {
    assert((waits_per_message.empty() || waits_per_message.size() == graph.num_ranks()) &&
           "a number for each rank");
    // Classes 2i and 2i+1 are the out and in channels of hct.ports()[i]. Behind them stand a class
    // of free ports, and a class for each distinct bound of a switch element.
    for (const Port& port : hct.ports()) {
        for (const Channel* channel : {&port.out, &port.in}) {
            classes_.push_back(
                {*channel, channel->max_bandwidth_bytes_per_s, costs_nothing(*channel)});
        }
    }
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    const auto nothing = static_cast<std::uint32_t>(classes_.size());
    // The root's ports, missing `through` ports, and `in` ports of half-duplex links are free.
    classes_.push_back({std::nullopt, unbounded, true});
    std::map<double, std::uint32_t> class_of_bound;

    const auto num_elements = static_cast<std::uint32_t>(hct.num_elements());
    steps_.resize(num_elements);
    class_of_port_.assign(3 * std::size_t{num_elements}, nothing);
    for (std::uint32_t e = 0; e < num_elements; ++e) {
        const Element& element = hct.element(e);
        const double bound = element.max_bandwidth_bytes_per_s;
        const bool bounded = element.num_children > 0 && !std::isinf(bound);
        const bool half_duplex = element.parent != no_id && hct.port(e).half_duplex;
        steps_[e] = {element.parent,    element.depth & 0x3FFFFFFFU,
                     bounded ? 1U : 0U, half_duplex ? 1U : 0U,
                     element.first_pu,  element.num_pus};
        if (element.parent != no_id) {
            class_of_port_[3 * std::size_t{e}] = 2 * element.port_index;
            if (!half_duplex) class_of_port_[3 * std::size_t{e} + 1] = 2 * element.port_index + 1;
        }
        if (bounded) {
            const auto [it, is_new] =
                class_of_bound.emplace(bound, static_cast<std::uint32_t>(classes_.size()));
            if (is_new) classes_.push_back({std::nullopt, bound, false});
            class_of_port_[3 * std::size_t{e} + 2] = it->second;
        }
    }
    element_of_pu_.resize(hct.num_pus());
    for (PuId pu = 0; pu < hct.num_pus(); ++pu) element_of_pu_[pu] = hct.pu(pu).element;

    KindNumbers numbers;
    sent_.reserve(graph.num_entries());
    first_sent_.reserve(graph.num_ranks() + 1);
    first_sent_.push_back(0);
    first_received_.assign(graph.num_ranks() + 1, 0);
    for (RankId rank = 0; rank < graph.num_ranks(); ++rank) {
        const double waits = waits_per_message.empty() ? 1.0 : waits_per_message[rank];
        for (const Traffic& t : graph.sent_by(rank)) {
            const bool goes_on = sent_.size() > first_sent_.back() && sent_.back().peer == t.peer;
            if (!goes_on) {
                sent_.push_back({t.peer, no_id});
                ++first_received_[t.peer + 1];
            }
            const std::uint32_t rest = sent_.back().kind;
            bool is_new = false;
            sent_.back().kind = numbers.number_of({rest, t.count, t.bytes, waits}, is_new);
            if (!is_new) continue;
            const auto count = static_cast<double>(t.count);
            const auto bytes = static_cast<double>(t.bytes);
            kinds_.push_back({count, waits * count, bytes, rest,
                              bytes + (rest == no_id ? 0.0 : kinds_[rest].all_bytes)});
        }
        first_sent_.push_back(sent_.size());
    }
    for (std::size_t r = 0; r < graph.num_ranks(); ++r)
        first_received_[r + 1] += first_received_[r];
    received_.resize(sent_.size());
    std::vector<std::size_t> next(first_received_.begin(), first_received_.end());
    for (RankId rank = 0; rank < graph.num_ranks(); ++rank) {
        for (const PeerMessages& m : sent_by(rank)) received_[next[m.peer]++] = {rank, m.kind};
    }

    if (kinds_.size() * classes_.size() <= max_table_entries) {
        times_.resize(kinds_.size() * classes_.size());
        for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
            for (std::uint32_t c = 0; c < classes_.size(); ++c) {
                times_[k * classes_.size() + c] = compute_time_s(k, c);
            }
        }
    }
}

double PortTable::compute_time_s(std::uint32_t kind, std::uint32_t port_class) const {
    const Class& c = classes_[port_class];
    if (!c.channel) return kinds_[kind].all_bytes / c.max_bandwidth_bytes_per_s;
    double time_s = 0.0;
    for (; kind != no_id; kind = kinds_[kind].rest) {
        const Kind& messages = kinds_[kind];
        time_s += c.channel->messages_time_s(messages.count, messages.waits,
                                             messages.bytes / messages.count);
    }
    return time_s;
}

}  // namespace commmap
