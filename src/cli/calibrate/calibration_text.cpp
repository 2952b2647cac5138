// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/calibration_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/text/one_line.hpp"
#include "core/topology/describe.hpp"
#include "core/topology/editing/link_text.hpp"

namespace commmap::cli {
namespace {

std::string pairs_of(const Series& series, const Allocation& allocation) {
    std::string text;
    for (std::size_t p = 0; p < series.senders.size(); ++p) {
        text += fmt::format("{}{}>{}", p > 0 ? " " : "", allocation.nodes[series.senders[p]].name,
                            allocation.nodes[series.receivers[p]].name);
    }
    return text;
}

}  // namespace

std::string name_of_kind(const Cluster& cluster, const PortKind& kind) {
    if (kind.owner == PortKind::Owner::node) {
        return "ports of class " + commmap::quoted(cluster.classes[kind.class_index].name);
    }
    std::string text = kind.depth == 1
                           ? "uplinks of switches below the root"
                           : fmt::format("uplinks of switches {} below the root", kind.depth);
    // Switches at one depth may have several links. A name tells these apart.
    const bool alone = std::all_of(
        cluster.switches.begin(), cluster.switches.end(), [&](const Cluster::Switch& one) {
            return depth_of(cluster, one) != kind.depth ||
                   (one.link_name == kind.link_name && one.link == kind.link);
        });
    if (alone) return text;
    if (!kind.link_name.empty()) return text + " with link " + commmap::quoted(kind.link_name);
    return text + " with a link in place, " + describe(kind.link);
}

std::string describe_series(const Series& series, const Allocation& allocation) {
    std::string pairs = pairs_of(series, allocation);
    const std::string lengths =
        series.lengths_bytes.size() == 1
            ? length_text(series.lengths_bytes.front())
            : fmt::format("{} to {}", length_text(series.lengths_bytes.front()),
                          length_text(series.lengths_bytes.back()));
    switch (series.pattern) {
        case MeasuringPattern::round_trips:
            return fmt::format("round trips {}, {}", pairs, lengths);
        case MeasuringPattern::streams:
            return fmt::format("streams {}, {}", pairs, lengths);
        case MeasuringPattern::both_ways:
            return fmt::format("both directions at once {}, {}", pairs, lengths);
        case MeasuringPattern::gaps:
            return fmt::format("bursts of short messages {}, {}", pairs, lengths);
        case MeasuringPattern::send_overheads:
            return fmt::format("sends of short messages {}, {}", pairs, lengths);
        case MeasuringPattern::receive_overheads:
            return fmt::format("receives of short messages {}, {}", pairs, lengths);
        case MeasuringPattern::each_pair:
        case MeasuringPattern::work:
            break;  // of a check
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

}  // namespace commmap::cli
