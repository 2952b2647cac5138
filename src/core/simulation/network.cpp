// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/network.hpp"

#include <algorithm>
#include <cmath>

#include "core/simulation/protocol.hpp"

namespace commmap {
namespace {

bool is_between_nodes(Level level) { return level == Level::switch_ || level == Level::node; }

Route::Hop hop_of(const Channel& channel, std::uint32_t port, Level level) {
    const bool framed = is_between_nodes(level) && !channel.is_payload;
    return {port, &channel, channel.max_bandwidth_bytes_per_s, framed ? Protocol::framing : 1.0,
            channel.gap_ns * 1e-9};
}

}  // namespace

double Route::Hop::busy_s(double bytes) const {
    return bytes * framing / max_bandwidth_bytes_per_s;
}

double Route::Hop::alone_s(double bytes, double length_bytes) const {
    return channel != nullptr ? bytes * framing / channel->bandwidth.at(length_bytes) : 0.0;
}

Route route_between(PuId a, PuId b, const Hct& hct) {
    Route route;
    if (a == b) return route;
    std::vector<Route::Hop> down;  // in reverse order: the destination's hops first
    const auto through = [&](ElementId element, std::vector<Route::Hop>& hops) {
        const double bound = hct.element(element).max_bandwidth_bytes_per_s;
        if (std::isfinite(bound)) hops.push_back({3 * element + 2, nullptr, bound, 1.0, 0.0});
    };
    const ElementId top = hct.for_each_port(
        a, b,
        [&](ElementId element) {
            const Channel& channel = hct.port(element).out;
            through(element, route.hops);
            if (hct.element(element).level == Level::node) route.leaves_at = route.hops.size();
            route.hops.push_back(hop_of(channel, 3 * element, hct.element(element).level));
            route.latency_s = std::max(route.latency_s, channel.latency_ns * 1e-9);
        },
        [&](ElementId element) {
            const Channel& channel = hct.port(element).in;
            through(element, down);
            const std::uint32_t direction = hct.port(element).half_duplex ? 0 : 1;
            down.push_back(hop_of(channel, 3 * element + direction, hct.element(element).level));
            route.latency_s = std::max(route.latency_s, channel.latency_ns * 1e-9);
        });
    through(top, route.hops);
    route.hops.insert(route.hops.end(), down.rbegin(), down.rend());
    route.between_nodes = hct.pu(a).node != hct.pu(b).node;
    return route;
}

double largest_latency_s(const Hct& hct) {
    double between_ns = 0.0;
    double inside_ns = 0.0;
    for (ElementId id = 1; id < hct.num_elements(); ++id) {
        const Port& port = hct.port(id);
        const double latency_ns = std::max(port.in.latency_ns, port.out.latency_ns);
        double& largest_ns = is_between_nodes(hct.element(id).level) ? between_ns : inside_ns;
        largest_ns = std::max(largest_ns, latency_ns);
    }
    return (hct.num_nodes() > 1 ? between_ns : inside_ns) * 1e-9;
}

}  // namespace commmap
