// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/port_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "core/calibration/blocks.hpp"
#include "core/calibration/gap_blocks.hpp"

namespace commmap {
namespace {

/// A point of a curve within this share of what its neighbours give is left out.
constexpr double same_bandwidth = 0.02;
/// A pair more that gains less than this share finds the port full.
constexpr double same_maximum = 0.05;
/// A port is half duplex if both directions together get less than this many times its maximum.
constexpr double most_of_half_duplex = 1.25;
/// A port is full duplex if they get at least this many times its maximum.
constexpr double least_of_full_duplex = 1.6;
/// Beside other work both directions may get no more than one. The blocks differ then.
constexpr double most_spread_of_half_duplex = 0.15;
/// Faster ports are not taken for half duplex: nothing faster than Gigabit Ethernet has it, and the
/// one process of a node that measures may be what is slow.
constexpr double fastest_half_duplex = 125e6;
/// A pair that gets this share of a port's maximum fills the port.
constexpr double share_that_fills = 0.9;
/// Below this share of bandwidth in a message's time, its bandwidth is mostly noise.
constexpr double least_share_of_bandwidth = 0.1;

/// @param smaller_is_faster  for times; bandwidths are the other way round
MeasuredValue fastest(const std::vector<double>& blocks, bool smaller_is_faster) {
    const auto [smallest, largest] = std::minmax_element(blocks.begin(), blocks.end());
    const double value = smaller_is_faster ? *smallest : *largest;
    return {value, (*largest - *smallest) / value};
}

using Points = std::vector<BandwidthCurve::Point>;

/// Keeps the points that a curve through the others would miss.
Points thinned(const Points& points) {
    if (points.size() < 2) return points;
    // Douglas and Peucker's way, with the curve's own interpolation.
    std::vector<bool> kept(points.size(), false);
    kept.front() = kept.back() = true;
    for (;;) {
        Points chosen;
        for (std::size_t p = 0; p < points.size(); ++p) {
            if (kept[p]) chosen.push_back(points[p]);
        }
        const BandwidthCurve curve(chosen);
        std::size_t worst = 0;
        double worst_error = same_bandwidth;
        for (std::size_t p = 0; p < points.size(); ++p) {
            const double error = std::abs(curve.at(static_cast<double>(points[p].length_bytes)) /
                                              points[p].bandwidth_bytes_per_s -
                                          1);
            if (error > worst_error) {
                worst = p;
                worst_error = error;
            }
        }
        if (worst_error <= same_bandwidth) {
            // One value says what two equal ends do.
            const bool flat =
                chosen.size() == 2 && std::abs(chosen.front().bandwidth_bytes_per_s /
                                                   chosen.back().bandwidth_bytes_per_s -
                                               1) <= same_bandwidth;
            return flat ? Points{chosen.back()} : chosen;
        }
        kept[worst] = true;
    }
}

/// The values of one series, by length.
using Lengths = std::map<std::uint64_t, MeasuredValue>;

/// Takes a number of pairs into the maximum of one direction.
void fit_streams(const MeasuredValue& together, std::optional<MeasuredValue>& max, bool& reached) {
    // the first pair has nothing to be compared with
    reached = max && together.value < max->value * (1 + same_maximum);
    if (!max || together.value > max->value) max = together;
}

/// @param max  of all messages together, if it was measured
Channel channel_of(double latency_s, Points points, const std::optional<MeasuredValue>& max) {
    Channel channel;
    channel.latency_ns = latency_s * 1e9;
    // All messages together get at least what one long message gets; more is noise.
    if (max && !points.empty()) {
        double& of_longest = points.back().bandwidth_bytes_per_s;
        of_longest = std::min(of_longest, max->value);
    }
    if (!points.empty()) channel.bandwidth = BandwidthCurve(thinned(points));
    channel.max_bandwidth_bytes_per_s = max ? max->value : channel.bandwidth.highest();
    return channel;
}

/// @pre the maxima are known
void fit_round_trips(const Lengths& lengths, MeasuredPort& port) {
    if (lengths.empty()) return;
    port.latency_s = lengths.begin()->second;
    for (const auto& [length, half] : lengths) {
        port.latency_s.value = std::min(port.latency_s.value, half.value);
    }
    // A message takes no longer than a longer one; what was measured otherwise is noise.
    Points points;
    double half_s = std::numeric_limits<double>::infinity();
    for (auto at = lengths.rbegin(); at != lengths.rend(); ++at) {
        const auto& [length, half] = *at;
        half_s = std::min(half_s, half.value);
        const double in_bandwidth_s = half_s - port.latency_s.value;
        if (in_bandwidth_s < least_share_of_bandwidth * half_s) break;
        points.push_back({length, static_cast<double>(length) / in_bandwidth_s});
        port.largest_spread = std::max(port.largest_spread, half.spread);
    }
    std::reverse(points.begin(), points.end());
    port.port.out = channel_of(port.latency_s.value, points, port.max_out);
    port.port.in = channel_of(port.latency_s.value, std::move(points), port.max_in);
    if (port.gap_s) {
        const double gap_ns = std::min(port.gap_s->value, port.latency_s.value) * 1e9;
        port.port.out.gap_ns = port.port.in.gap_ns = gap_ns;
    }
}

/// @pre the maxima are known
void fit_both_ways(const Lengths& both, const Lengths& one_pair, MeasuredPort& port) {
    if (!port.max_out || !port.max_in) return;
    const double max = std::max(port.max_out->value, port.max_in->value);
    // What one pair gets may be far below what the port can.
    const bool is_maximum = port.max_out_reached && port.max_in_reached;
    for (const auto& [length, together] : both) {
        if (is_maximum && together.value >= least_of_full_duplex * max) port.half_duplex = false;
    }
    const auto together = both.find(eager_message_bytes);
    const auto alone = one_pair.find(eager_message_bytes);
    if (together == both.end() || alone == one_pair.end()) return;
    port.both_over_one = together->second.value / alone->second.value;
    const bool fills = alone->second.value >= share_that_fills * max;
    const double spread = std::max(together->second.spread, alone->second.spread);
    if (port.half_duplex != false && fills && max < fastest_half_duplex &&
        spread <= most_spread_of_half_duplex &&
        together->second.value < most_of_half_duplex * max) {
        port.half_duplex = true;
    }
}

/// Forgets that uplinks look like half duplex, unless all ports below them are known as full
/// duplex: their pairs pass these ports too.
/// @param kinds  at least one of nodes first, then uplinks from the leaves to the root
void doubt_uplinks(std::span<const PortKind> kinds, std::vector<MeasuredPort>& ports) {
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        if (kinds[k].owner != PortKind::Owner::switch_ || ports[k].half_duplex != true) continue;
        for (std::size_t other = 0; other < k; ++other) {
            const bool is_below =
                kinds[other].owner == PortKind::Owner::node || kinds[other].depth > kinds[k].depth;
            if (is_below && ports[other].half_duplex != false) ports[k].half_duplex.reset();
        }
    }
}

/// What was measured of one kind.
struct KindValues {
    Lengths round_trips;
    Lengths both_ways;
    Lengths one_pair;  ///< streams
};

}  // namespace

std::vector<MeasuredPort> fit_ports(std::span<const PortKind> kinds, std::span<const Series> series,
                                    std::span<const Measured> measured) {
    std::vector<KindValues> values(kinds.size());
    std::vector<MeasuredPort> ports(kinds.size());
    std::vector<std::optional<MeasuredValue>> streams(series.size());
    for (const Measured& one : measured) {
        if (one.series >= series.size() || one.blocks.empty()) continue;
        const Series& of = series[one.series];
        if (of.kind >= kinds.size()) continue;
        const bool is_time =
            of.pattern == MeasuringPattern::round_trips || is_of_short_messages(of.pattern);
        const MeasuredValue value = fastest(one.blocks, is_time);
        switch (of.pattern) {
            case MeasuringPattern::round_trips:
                values[of.kind].round_trips.insert_or_assign(one.length_bytes, value);
                break;
            case MeasuringPattern::both_ways:
                values[of.kind].both_ways.insert_or_assign(one.length_bytes, value);
                break;
            case MeasuringPattern::streams: {
                auto& most = streams[one.series];
                if (!most || value.value > most->value) most = value;
                if (of.senders.size() == 1) {
                    values[of.kind].one_pair.insert_or_assign(one.length_bytes, value);
                }
                break;
            }
            case MeasuringPattern::gaps:
                if (value.value > no_gap_s) ports[of.kind].gap_s = value;
                break;
            case MeasuringPattern::send_overheads:
                ports[of.kind].send_overhead_s = value;
                break;
            case MeasuringPattern::receive_overheads:
                ports[of.kind].receive_overhead_s = value;
                break;
            case MeasuringPattern::each_pair:
            case MeasuringPattern::work:
            case MeasuringPattern::together:
                break;  // of a check or of switches, which fit no ports
        }
    }
    // by the number of pairs, as they were planned
    for (std::size_t s = 0; s < series.size(); ++s) {
        if (!streams[s]) continue;
        const Series& one = series[s];
        MeasuredPort& port = ports[one.kind];
        const bool from_one = one.senders.front() == one.senders.back();
        const bool to_one = one.receivers.front() == one.receivers.back();
        const bool both = from_one == to_one;  // one pair, or pairs with ends of their own
        if (both || from_one) fit_streams(*streams[s], port.max_out, port.max_out_reached);
        if (both || !from_one) fit_streams(*streams[s], port.max_in, port.max_in_reached);
    }
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        fit_round_trips(values[k].round_trips, ports[k]);
        fit_both_ways(values[k].both_ways, values[k].one_pair, ports[k]);
    }
    doubt_uplinks(kinds, ports);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        ports[k].port.half_duplex = ports[k].half_duplex.value_or(kinds[k].link.half_duplex);
    }
    return ports;
}

}  // namespace commmap
