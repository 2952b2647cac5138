// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/calibration_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text/one_line.hpp"
#include "core/text/units.hpp"

namespace commmap::cli {
namespace {

/// Two kinds of ports that differ by less are the same link.
constexpr double same_link = 0.10;
/// Latencies of the same kind of link were seen to differ by a third from pair to pair.
constexpr double same_latency = 0.50;
/// Directions that differ by less are the same.
constexpr double same_directions = 0.05;

/// A length as cluster YAMLs write it, without rounding.
std::string exact_length(std::uint64_t bytes) {
    constexpr std::uint64_t kib = 1024;
    if (bytes >= kib * kib && bytes % (kib * kib) == 0) {
        return fmt::format("{} MiB", bytes / (kib * kib));
    }
    if (bytes >= kib && bytes % kib == 0) return fmt::format("{} KiB", bytes / kib);
    return fmt::format("{} B", bytes);
}

std::string rate(double bytes_per_s) { return format_bytes(bytes_per_s) + "/s"; }

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string pairs_of(const Series& series, const Allocation& allocation) {
    std::string text;
    for (std::size_t p = 0; p < series.senders.size(); ++p) {
        text += fmt::format("{}{}>{}", p > 0 ? " " : "", allocation.nodes[series.senders[p]].name,
                            allocation.nodes[series.receivers[p]].name);
    }
    return text;
}

std::string curve_text(const BandwidthCurve& curve) {
    const auto points = curve.points();
    if (points.size() == 1) return rate(points.front().bandwidth_bytes_per_s);
    std::string text;
    for (const BandwidthCurve::Point& point : points) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", exact_length(point.length_bytes),
                            rate(point.bandwidth_bytes_per_s));
    }
    return "{" + text + "}";
}

bool near(double a, double b, double share) {
    if (!std::isfinite(a) || !std::isfinite(b)) return std::isfinite(a) == std::isfinite(b);
    return std::abs(a - b) <= share * std::max(a, b);
}

/// The lines below a link's name.
std::string link_lines(const MeasuredPort& measured) {
    const auto& [in, out] = measured.port;
    std::string text = fmt::format("    latency: {}\n", format_seconds(measured.latency_s.value));
    const double out_max = out.max_bandwidth_bytes_per_s;
    const double in_max = in.max_bandwidth_bytes_per_s;
    const bool has_maxima = measured.max_out && measured.max_in;
    // one curve for both, which neither maximum is below
    const BandwidthCurve& curve = out_max <= in_max ? out.bandwidth : in.bandwidth;
    if (!curve.unlimited()) text += fmt::format("    bandwidth: {}\n", curve_text(curve));
    if (!has_maxima) return text;
    if (near(out_max, in_max, same_directions)) {
        return text + fmt::format("    max_bandwidth: {}\n", rate(std::max(out_max, in_max)));
    }
    return text + fmt::format("    out: {{max_bandwidth: {}}}\n    in: {{max_bandwidth: {}}}\n",
                              rate(out_max), rate(in_max));
}

/// Whether two kinds of ports may share a link.
bool near(const MeasuredPort& a, const MeasuredPort& b) {
    const auto& [a_in, a_out] = a.port;
    const auto& [b_in, b_out] = b.port;
    return near(a.latency_s.value, b.latency_s.value, same_latency) &&
           near(a_out.bandwidth.of_longest(), b_out.bandwidth.of_longest(), same_link) &&
           near(a_out.max_bandwidth_bytes_per_s, b_out.max_bandwidth_bytes_per_s, same_link) &&
           near(a_in.max_bandwidth_bytes_per_s, b_in.max_bandwidth_bytes_per_s, same_link);
}

std::string comment_on(const std::string& name, const PortKind& kind, const MeasuredPort& port,
                       const Allocation& allocation) {
    std::string text =
        fmt::format("  # {}: {} with", name, allocation.nodes[kind.nodes_a.front()].name);
    for (const NodeId n : kind.nodes_b) text += " " + allocation.nodes[n].name;
    text += '\n';
    text += fmt::format("  # spread: latency {}, round trips up to {}",
                        percent(port.latency_s.spread), percent(port.largest_spread));
    if (!port.max_out || !port.max_in) {
        text += "\n  # the maximum was not measured";
    } else {
        text += fmt::format(", maxima {} out, {} in", percent(port.max_out->spread),
                            percent(port.max_in->spread));
    }
    text += '\n';
    if (port.max_out && port.max_in && !(port.max_out_reached && port.max_in_reached)) {
        text += kind.nodes_a.size() == 1
                    ? "  # one pair only: whether more pairs would get more is not known\n"
                    : "  # the last pair still gained, or was not measured: the maximum may be "
                      "higher\n";
    }
    if (port.both_over_one) {
        text += fmt::format("  # both directions together get {:.2f} times what one gets\n",
                            *port.both_over_one);
    }
    return text;
}

}  // namespace

std::string name_of_kind(const Cluster& cluster, const PortKind& kind) {
    if (kind.owner == PortKind::Owner::node) {
        return "ports of class " + commmap::quoted(cluster.classes[kind.class_index].name);
    }
    if (kind.depth == 1) return "uplinks of switches below the root";
    return fmt::format("uplinks of switches {} below the root", kind.depth);
}

std::string describe_series(const Series& series, const Allocation& allocation) {
    std::string pairs = pairs_of(series, allocation);
    const std::string lengths =
        series.lengths_bytes.size() == 1
            ? exact_length(series.lengths_bytes.front())
            : fmt::format("{} to {}", exact_length(series.lengths_bytes.front()),
                          exact_length(series.lengths_bytes.back()));
    switch (series.pattern) {
        case Pattern::round_trips:
            return fmt::format("round trips {}, {}", pairs, lengths);
        case Pattern::streams:
            return fmt::format("streams {}, {}", pairs, lengths);
        case Pattern::both_ways:
            return fmt::format("both directions at once {}, {}", pairs, lengths);
    }
    return pairs;
}

std::string describe_plan(const Cluster& cluster, const Allocation& allocation,
                          std::span<const PortKind> kinds, std::span<const Series> series) {
    std::string text;
    double sum = 0.0;
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
        const PortKind& kind = kinds[k];
        text += fmt::format(
            "{} ({}), {} of them{}\n", name_of_kind(cluster, kind),
            kind.link_name.empty() ? "written in place" : "link " + commmap::quoted(kind.link_name),
            kind.num_ports, kind.why_not.empty() ? "" : ": not measured, " + kind.why_not);
        for (const Series& one : series) {
            if (one.kind != k) continue;
            sum += one.expected_s;
            text +=
                fmt::format("  {:>6.1f} s  {}\n", one.expected_s, describe_series(one, allocation));
        }
    }
    return text + fmt::format("{} measurements, about {:.0f} s by the file's numbers\n",
                              series.size(), std::ceil(sum));
}

std::string yaml_of_ports(const Cluster& cluster, const Allocation& allocation,
                          std::span<const PortKind> kinds, std::span<const MeasuredPort> ports,
                          const std::string& origin) {
    std::string text = "# " + origin + "\nlinks:\n";
    std::map<std::string, const MeasuredPort*> written;  // by the name of the link
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const PortKind& kind = kinds[k];
        const MeasuredPort& port = ports[k];
        const std::string name = name_of_kind(cluster, kind);
        if (!port.measured()) {
            text += fmt::format("  # {}: not measured{}\n", name,
                                kind.why_not.empty() ? "" : ", " + kind.why_not);
            continue;
        }
        std::string link = kind.link_name;
        if (link.empty()) link = kind.owner == PortKind::Owner::node ? "port" : "uplink";
        const auto first = written.find(link);
        if (first != written.end()) {
            if (near(port, *first->second)) {
                text += fmt::format("  # {}: as {}, bandwidths within {}\n", name,
                                    commmap::quoted(link), percent(same_link));
                continue;
            }
            text += fmt::format("  # {} have {} too in the file, and differ: name this one there\n",
                                name, commmap::quoted(link));
            link += fmt::format("-{}", k);
        }
        written.emplace(link, &port);
        text += comment_on(name, kind, port, allocation);
        text += fmt::format("  {}:\n{}", link, link_lines(port));
    }
    return text;
}

}  // namespace commmap::cli
