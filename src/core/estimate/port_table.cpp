#include "core/estimate/port_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace commmap {

namespace {

struct PairHash {
    std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& p) const {
        return static_cast<std::size_t>(p.first * 0x9E3779B97F4A7C15ULL ^
                                        (p.second + 0x7F4A7C15ULL) * 0xC2B2AE3D27D4EB4FULL);
    }
};

bool costs_nothing(const Channel& channel) {
    return channel.latency_ns <= 0.0 && channel.bandwidth.unlimited() &&
           std::isinf(channel.max_bandwidth_bytes_per_s);
}

}  // namespace

PortTable::PortTable(const CommGraph& graph, const Hct& hct) {
    // Classes 2i and 2i+1: out and in of hct.ports()[i]; then one per distinct bound of a switch
    // element.
    for (const Port& port : hct.ports()) {
        for (const Channel* channel : {&port.out, &port.in}) {
            classes_.push_back(
                {channel, channel->max_bandwidth_bytes_per_s, costs_nothing(*channel)});
        }
    }
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    const auto nothing = static_cast<std::uint32_t>(classes_.size());
    classes_.push_back({nullptr, unbounded, true});  // the root's ports, missing `through` ports
    std::map<double, std::uint32_t> class_of_bound;

    const auto num_elements = static_cast<std::uint32_t>(hct.num_elements());
    steps_.resize(num_elements);
    class_of_port_.assign(3 * std::size_t{num_elements}, nothing);
    for (std::uint32_t e = 0; e < num_elements; ++e) {
        const Element& element = hct.element(e);
        const double bound = element.max_bandwidth_bytes_per_s;
        const bool bounded = element.num_children > 0 && !std::isinf(bound);
        steps_[e] = {element.parent, element.depth & 0x7FFFFFFFU, bounded ? 1U : 0U};
        if (element.parent != no_id) {
            class_of_port_[3 * std::size_t{e}] = 2 * element.port_index;
            class_of_port_[3 * std::size_t{e} + 1] = 2 * element.port_index + 1;
        }
        if (bounded) {
            const auto [it, is_new] =
                class_of_bound.emplace(bound, static_cast<std::uint32_t>(classes_.size()));
            if (is_new) classes_.push_back({nullptr, bound, false});
            class_of_port_[3 * std::size_t{e} + 2] = it->second;
        }
    }
    element_of_pu_.resize(hct.num_pus());
    for (PuId pu = 0; pu < hct.num_pus(); ++pu) element_of_pu_[pu] = hct.pu(pu).element;

    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t, PairHash> kind_of;
    const auto add = [&](const Traffic& t, std::vector<Message>& messages) {
        const auto [it, is_new] =
            kind_of.emplace(std::pair(t.count, t.bytes), static_cast<std::uint32_t>(kinds_.size()));
        if (is_new) kinds_.push_back({static_cast<double>(t.count), static_cast<double>(t.bytes)});
        messages.push_back({t.peer, it->second});
    };
    sent_.reserve(graph.num_entries());
    received_.reserve(graph.num_entries());
    first_sent_.push_back(0);
    first_received_.push_back(0);
    for (RankId rank = 0; rank < graph.num_ranks(); ++rank) {
        for (const Traffic& t : graph.sent_by(rank)) add(t, sent_);
        for (const Traffic& t : graph.received_by(rank)) add(t, received_);
        first_sent_.push_back(sent_.size());
        first_received_.push_back(received_.size());
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
    const Kind& messages = kinds_[kind];
    const Class& c = classes_[port_class];
    if (c.channel == nullptr) return messages.bytes / c.max_bandwidth_bytes_per_s;
    return messages.count * c.channel->message_time_s(messages.bytes / messages.count);
}

void PortFold::add(double task_s, double task_bytes, double max_bandwidth_bytes_per_s) {
    if (std::isinf(max_bandwidth_bytes_per_s)) {  // everything overlaps; inf * 0 below would not be
                                                  // a number
        cost_s = std::max(cost_s, task_s);
    } else {
        task_s = std::max(task_s, task_bytes / max_bandwidth_bytes_per_s);
        const double available = std::max(0.0, max_bandwidth_bytes_per_s * cost_s - bytes);
        if (available < task_bytes) cost_s += (task_bytes - available) / task_bytes * task_s;
        cost_s = std::max(cost_s, task_s);
    }
    bytes += task_bytes;
}

}  // namespace commmap
