// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/series.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/calibration/blocks.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t longest_message = std::uint64_t{4} << 20U;
/// Both directions together are of interest where bandwidth, not latency, takes the time.
constexpr std::uint64_t shortest_both_ways = std::uint64_t{64} << 10U;
/// The first fills slow links, the last fast ones.
constexpr std::array<std::uint64_t, 3> lengths_of_streams{65536, 262144, 1048576};
/// Longer ones are left out where they would take long.
constexpr std::array<std::uint64_t, 2> lengths_together{65536, 1048576};
/// As an MPI_DOUBLE has.
constexpr std::uint64_t length_of_short_messages = 8;
/// For links of which the file says nothing.
constexpr double least_message_s = 20e-6;

std::vector<std::uint64_t> growing(std::uint64_t from, std::uint64_t to, std::uint64_t factor) {
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t length = from; length <= to; length *= factor) lengths.push_back(length);
    return lengths;
}

std::vector<std::uint64_t> doubling(std::uint64_t from, std::uint64_t to) {
    return growing(from, to, 2);
}

/// With how many pairs streams of a kind are sent, one number after another.
std::vector<std::size_t> pair_counts(const PortKind& kind) {
    std::vector<std::size_t> counts;
    const std::size_t all = kind.ends_a.size();
    const bool inside = kind.is_inside();
    for (std::size_t pairs = 1; pairs < all; pairs = inside ? 2 * pairs : pairs + 1) {
        counts.push_back(pairs);
    }
    counts.push_back(all);
    return counts;
}

/// Puts the length at which both directions are compared with one in front of longer ones.
std::vector<std::uint64_t> with_eager_length(std::vector<std::uint64_t> lengths) {
    lengths.insert(lengths.begin(), eager_message_bytes);
    return lengths;
}

/// The time of a message through a port of the kind, by the file's numbers.
double message_s(const Port& port, std::uint64_t length) {
    const auto bytes = static_cast<double>(length);
    return std::max(
        {port.out.message_time_s(bytes), port.in.message_time_s(bytes), least_message_s});
}

/// The time of a message between the first two ends of a kind: that of the slowest port, like in
/// the estimate (port_cost.hpp).
double message_s(const PortKind& kind, std::span<const PortKind> kinds, std::uint64_t length) {
    double longest = message_s(kind.link, length);
    if (kind.owner != PortKind::Owner::switch_) return longest;
    for (const PortKind& other : kinds) {
        if (other.owner == PortKind::Owner::node) {
            longest = std::max(longest, message_s(other.link, length));
        }
    }
    return longest;
}

/// The time of a message of each pair through a switch that all pairs share: that of the slowest
/// port, or of all messages one behind another.
double message_s(const SwitchKind& kind, std::span<const PortKind> ports, std::size_t pairs,
                 std::uint64_t length) {
    double longest =
        static_cast<double>(pairs) * static_cast<double>(length) / kind.max_bandwidth_bytes_per_s;
    for (const PortKind& port : ports) {
        if (!port.is_inside()) {
            longest = std::max(longest, message_s(port.link, length));
        }
    }
    return longest;
}

double expected_s(const Series& series, const SwitchKind& kind, std::span<const PortKind> ports) {
    double sum = 0.0;
    for (const std::uint64_t length : series.lengths_bytes) {
        const double once = message_s(kind, ports, series.senders.size(), length);
        const double block = std::max(once * least_messages_together, seconds_of_together_block);
        const bool first = length == series.lengths_bytes.front();
        if (!first && block * blocks_of_length > most_seconds_of_together_length) break;
        sum += 3 * messages_at_once * once + block * blocks_of_length;
    }
    return sum;
}

double expected_s(const Series& series, const PortKind& kind, std::span<const PortKind> kinds) {
    double sum = 0.0;
    for (const std::uint64_t length : series.lengths_bytes) {
        double once = message_s(kind, kinds, length);
        switch (series.pattern) {
            case MeasuringPattern::round_trips:
                once *= 2;
                break;
            case MeasuringPattern::streams:
                once *= messages_at_once * static_cast<double>(series.senders.size());
                break;
            case MeasuringPattern::both_ways:
            case MeasuringPattern::each_pair:
            case MeasuringPattern::together:
                once *= messages_at_once;
                break;
            case MeasuringPattern::gaps:
                once *= messages_of_burst;
                break;
            case MeasuringPattern::receive_overheads:
                once *= 6;
                break;
            case MeasuringPattern::send_overheads:
                once *= 2;
                break;
            case MeasuringPattern::work:
                break;
        }
        const bool first = length == series.lengths_bytes.front();
        if (!first && once * blocks_of_length > most_seconds_of_length) break;
        // up to three to open connections and to see how long one takes
        const double block = seconds_of_block_of(series.pattern, length);
        sum += 3 * once + std::max(once, block) * blocks_of_length;
    }
    return sum;
}

void add_switches(std::span<const PortKind> ports, std::span<const SwitchKind> switches,
                  std::vector<Series>& all) {
    for (std::uint32_t k = 0; k < switches.size(); ++k) {
        const SwitchKind& kind = switches[k];
        if (!kind.why_not.empty()) continue;
        for (const std::size_t pairs : {std::size_t{1}, kind.senders.size()}) {
            Series& series = all.emplace_back();
            series.switch_kind = k;
            series.pattern = MeasuringPattern::together;
            const auto last = static_cast<std::ptrdiff_t>(pairs);
            series.senders.assign(kind.senders.begin(), kind.senders.begin() + last);
            series.receivers.assign(kind.receivers.begin(), kind.receivers.begin() + last);
            series.lengths_bytes.assign(lengths_together.begin(), lengths_together.end());
            series.expected_s = expected_s(series, kind, ports);
        }
    }
}

}  // namespace

std::vector<Series> plan_series(std::span<const PortKind> kinds,
                                std::span<const SwitchKind> switches) {
    const std::vector<std::uint64_t> streams(lengths_of_streams.begin(), lengths_of_streams.end());
    std::vector<Series> all;
    const auto add_kind = [&](std::uint32_t k) {
        const PortKind& kind = kinds[k];
        if (!kind.why_not.empty()) return;
        const auto add = [&](MeasuringPattern pattern, std::span<const std::uint32_t> senders,
                             std::span<const std::uint32_t> receivers,
                             std::vector<std::uint64_t> lengths) {
            Series& series = all.emplace_back();
            series.kind = k;
            series.pattern = pattern;
            series.inside_of = kind.node;
            series.senders.assign(senders.begin(), senders.end());
            series.receivers.assign(receivers.begin(), receivers.end());
            series.lengths_bytes = std::move(lengths);
            series.expected_s = expected_s(series, kind, kinds);
        };
        const std::span a(kind.ends_a);
        const std::span b(kind.ends_b);
        const bool inside = kind.is_inside();
        add(MeasuringPattern::round_trips, a.first(1), b.first(1),
            growing(1, longest_message, inside ? 4 : 2));
        if (!inside) {
            add(MeasuringPattern::both_ways, a.first(1), b.first(1),
                with_eager_length(doubling(shortest_both_ways, longest_message)));
        }
        add(MeasuringPattern::gaps, a.first(1), b.first(1), {length_of_short_messages});
        if (kind.owner == PortKind::Owner::node) {
            for (const MeasuringPattern pattern :
                 {MeasuringPattern::send_overheads, MeasuringPattern::receive_overheads}) {
                add(pattern, a.first(1), b.first(1), {length_of_short_messages});
            }
        }
        for (const std::size_t pairs : pair_counts(kind)) {
            add(MeasuringPattern::streams, a.first(pairs), b.first(pairs),
                pairs == 1 && !inside ? with_eager_length(streams) : streams);
        }
        // Where pairs have ends of their own, they send through both directions of the kind.
        if (a.front() != a.back()) return;
        for (const std::size_t pairs : pair_counts(kind)) {
            if (pairs == 1) continue;
            add(MeasuringPattern::streams, b.first(pairs), a.first(pairs), streams);
        }
    };
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
        if (!kinds[k].is_inside()) add_kind(k);
    }
    add_switches(kinds, all.empty() ? std::span<const SwitchKind>{} : switches, all);
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
        if (kinds[k].is_inside()) add_kind(k);
    }
    return all;
}

std::string name_of_end(const Allocation& allocation, NodeId inside_of, std::uint32_t end) {
    if (inside_of == no_id) return allocation.nodes[end].name;
    return allocation.nodes[inside_of].name + ":" + std::to_string(end);
}

std::vector<NamedSeries> named(std::span<const Series> series, const Allocation& allocation) {
    std::vector<NamedSeries> all;
    for (const Series& one : series) {
        NamedSeries& named = all.emplace_back();
        named.pattern = one.pattern;
        named.lengths_bytes = one.lengths_bytes;
        for (std::size_t p = 0; p < one.senders.size(); ++p) {
            named.pairs.emplace_back(name_of_end(allocation, one.inside_of, one.senders[p]),
                                     name_of_end(allocation, one.inside_of, one.receivers[p]));
        }
    }
    return all;
}

}  // namespace commmap
