// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/calibration_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <string_view>

#include "core/text/one_line.hpp"
#include "core/topology/describe.hpp"
#include "core/topology/editing/link_text.hpp"

namespace commmap::cli {
namespace {

std::string_view words_of(MeasuringPattern pattern) {
    switch (pattern) {
        case MeasuringPattern::round_trips:
            return "round trips";
        case MeasuringPattern::streams:
            return "streams";
        case MeasuringPattern::both_ways:
            return "both directions at once";
        case MeasuringPattern::gaps:
            return "bursts of short messages";
        case MeasuringPattern::send_overheads:
            return "sends of short messages";
        case MeasuringPattern::receive_overheads:
            return "receives of short messages";
        case MeasuringPattern::together:
            return "streams at once";
        case MeasuringPattern::each_pair:
        case MeasuringPattern::work:
            break;  // of a check, which has its own words
    }
    return name_of(pattern);
}

std::string where_link_is(const Cluster& cluster, const PortKind& kind) {
    if (!kind.link_name.empty()) return "link " + commmap::quoted(kind.link_name);
    const bool built_in =
        kind.is_inside() && !cluster.classes[kind.class_index].inside.contains(kind.level);
    return built_in ? "built-in values" : "written in place";
}

}  // namespace

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 16> text{};
    return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

std::string pairs_text(std::span<const std::uint32_t> senders,
                       std::span<const std::uint32_t> receivers, const Allocation& allocation,
                       NodeId inside_of) {
    std::string text;
    for (std::size_t p = 0; p < senders.size(); ++p) {
        text +=
            fmt::format("{}{}>{}", p > 0 ? " " : "", name_of_end(allocation, inside_of, senders[p]),
                        name_of_end(allocation, inside_of, receivers[p]));
    }
    return text;
}

std::string name_of_kind(const Cluster& cluster, const PortKind& kind) {
    if (kind.owner == PortKind::Owner::node) {
        return "ports of class " + commmap::quoted(cluster.classes[kind.class_index].name);
    }
    if (kind.is_inside()) {
        return fmt::format("level '{}' inside of class {}", level_name(kind.level),
                           commmap::quoted(cluster.classes[kind.class_index].name));
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

std::string name_of_kind(const Cluster& cluster, const SwitchKind& kind) {
    const std::uint32_t one = kind.measured == no_id ? kind.switches.front() : kind.measured;
    return fmt::format("{} {}", kind.switches.size() == 1 ? "switch" : "switches like",
                       commmap::quoted(cluster.switches[one].name));
}

std::string describe_series(const Series& series, const Allocation& allocation) {
    const std::string lengths =
        series.lengths_bytes.size() == 1
            ? length_text(series.lengths_bytes.front())
            : fmt::format("{} to {}", length_text(series.lengths_bytes.front()),
                          length_text(series.lengths_bytes.back()));
    constexpr std::size_t most_pairs = 16;
    constexpr std::size_t some_pairs = 4;
    const std::size_t all = series.senders.size();
    const std::size_t shown = all > most_pairs ? some_pairs : all;
    return fmt::format(
        "{} {}{}, {}", words_of(series.pattern),
        pairs_text(std::span(series.senders).first(shown), std::span(series.receivers).first(shown),
                   allocation, series.inside_of),
        shown < all ? fmt::format(" and {} more", all - shown) : "", lengths);
}

std::string describe_plan(const Cluster& cluster, const Allocation& allocation,
                          std::span<const PortKind> kinds, std::span<const SwitchKind> switches,
                          std::span<const Series> series) {
    std::string text;
    double sum = 0.0;
    const auto add = [&](const Series& one) {
        sum += one.expected_s;
        text += fmt::format("  {:>6.1f} s  {}\n", one.expected_s, describe_series(one, allocation));
    };
    const auto add_kind = [&](std::uint32_t k) {
        const PortKind& kind = kinds[k];
        text += fmt::format("{} ({}), {} of them{}\n", name_of_kind(cluster, kind),
                            where_link_is(cluster, kind), kind.num_ports,
                            kind.why_not.empty() ? "" : ": not measured, " + kind.why_not);
        for (const Series& one : series) {
            if (one.kind == k) add(one);
        }
    };
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
        if (!kinds[k].is_inside()) add_kind(k);
    }
    for (std::uint32_t k = 0; k < switches.size(); ++k) {
        const SwitchKind& kind = switches[k];
        text += fmt::format("maximum of {}, {} of them{}\n", name_of_kind(cluster, kind),
                            kind.switches.size(),
                            kind.why_not.empty() ? "" : ": not measured, because " + kind.why_not);
        for (const Series& one : series) {
            if (one.switch_kind == k) add(one);
        }
    }
    for (std::uint32_t k = 0; k < kinds.size(); ++k) {
        if (kinds[k].is_inside()) add_kind(k);
    }
    return text + fmt::format("{} measurements, about {:.0f} s by the file's numbers\n",
                              series.size(), std::ceil(sum));
}

}  // namespace commmap::cli
