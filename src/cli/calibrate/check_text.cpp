// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/check_text.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/text/one_line.hpp"
#include "core/text/units.hpp"
#include "core/topology/editing/link_text.hpp"

namespace commmap::cli {
namespace {

using namespace std::string_view_literals;

/// Of more streams the line of a series has the number.
constexpr std::size_t most_streams = 12;

constexpr std::array kind_names{"node"sv, "port"sv,  "pair"sv,   "uplink"sv,
                                "path"sv, "place"sv, "swapped"sv};
constexpr std::array series_names{"ports"sv, "work"sv, "uplinks"sv, "places"sv};

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string plural(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "of 6 streams of its kind"; of two directions of a pair both count.
std::string peers_of(const Reference& reference, std::string_view noun) {
    return reference.peers == 0 ? std::string("that the file says")
                                : fmt::format("of {} of its kind", plural(reference.peers, noun));
}

std::string times_spread(const SlowValue& value) {
    if (value.reference.peers == 0) return "";
    return fmt::format("; {:.0f} times their spread", value.times_spread());
}

/// "8.31 MB/s, 70 % of the 11.9 MB/s of 6 streams of its kind (measured twice: 8.35 MB/s, ...)"
/// @param noun  what the reference is of: a stream or a path
std::string slow_rate(const SlowValue& value, std::string_view noun) {
    return fmt::format("{}, {} of the {} {} (measured twice: {}, {}{})", rate_text(value.second),
                       whole_percent(value.share()), rate_text(value.reference.value),
                       peers_of(value.reference, noun), rate_text(value.first),
                       rate_text(value.second), times_spread(value));
}

std::string slow_directions(const Outlier& outlier) {
    const auto noun = outlier.kind == Outlier::Kind::uplink ? "path"sv : "stream"sv;
    std::string text;
    for (const SlowValue& value : outlier.values) {
        text += fmt::format("{}{} at {}", text.empty() ? "" : ", and ",
                            value.direction == Direction::out ? "sends" : "receives",
                            slow_rate(value, noun));
    }
    return text;
}

class OutlierText {
public:
    OutlierText(const Cluster& cluster, const Allocation& allocation)
        : cluster_(cluster), allocation_(allocation) {}

    [[nodiscard]] std::string of(const Outlier& outlier) const {
        switch (outlier.kind) {
            case Outlier::Kind::node:
                return of_node(outlier);
            case Outlier::Kind::port:
                return of_port(outlier);
            case Outlier::Kind::pair:
                return fmt::format(
                    "from node {} to node {}: {}: look at both nodes, no other one could tell "
                    "which it is",
                    node(outlier.nodes[0]), node(outlier.nodes[1]),
                    slow_rate(outlier.values[0], "stream"));
            case Outlier::Kind::uplink:
                return fmt::format("uplink of switch {}: {}: look at its cable or port",
                                   name(outlier.switches[0]), slow_directions(outlier));
            case Outlier::Kind::path:
                return of_path(outlier);
            case Outlier::Kind::place:
                return of_place(outlier);
            case Outlier::Kind::swapped:
                return fmt::format(
                    "nodes {} and {}: each hangs on the other's switch ({}, {} by the file), or "
                    "their names are swapped; {}; {}",
                    node(outlier.nodes[0]), node(outlier.nodes[1]), name(outlier.switches[0]),
                    name(outlier.switches[1]), inside(outlier, 0, outlier.switches[0]),
                    inside(outlier, 1, outlier.switches[1]));
        }
        return "";
    }

    [[nodiscard]] std::string name(std::uint32_t s) const {
        return commmap::quoted(cluster_.switches[s].name);
    }

private:
    [[nodiscard]] const std::string& node(NodeId n) const { return allocation_.nodes[n].name; }

    [[nodiscard]] std::string of_node(const Outlier& outlier) const {
        const SlowValue& value = outlier.values[0];
        const double share = value.share();
        return fmt::format(
            "node {}: computes at {} of the speed {} (measured twice: {}, {}, others {}{}): {}",
            node(outlier.nodes[0]), whole_percent(share), peers_of(value.reference, "node"),
            format_seconds(value.first), format_seconds(value.second),
            format_seconds(value.reference.value), times_spread(value),
            share < 1 ? "its CPUs are slow, or something else runs on them"
                      : "is it of another class?");
    }

    [[nodiscard]] std::string of_port(const Outlier& outlier) const {
        std::string what = "look at its cable or port";
        if (outlier.like_class != no_id) {
            what = fmt::format("nodes of class {} have that rate",
                               commmap::quoted(cluster_.classes[outlier.like_class].name));
        } else if (outlier.values.size() == 1) {
            what += ", the other direction is fine";
        }
        return fmt::format("node {}: {}: {}", node(outlier.nodes[0]), slow_directions(outlier),
                           what);
    }

    [[nodiscard]] std::string of_path(const Outlier& outlier) const {
        std::string text;
        for (const SlowValue& value : outlier.values) {
            const bool there = value.direction == Direction::out;
            text += fmt::format("{}from switch {} to {} at {}", text.empty() ? "" : ", and ",
                                name(outlier.switches[there ? 0 : 1]),
                                name(outlier.switches[there ? 1 : 0]), slow_rate(value, "path"));
        }
        return text + ": look at the uplinks of both, no third switch could tell which it is";
    }

    [[nodiscard]] std::string inside(const Outlier& outlier, std::size_t n,
                                     std::uint32_t file_switch) const {
        const SlowValue& value = outlier.values[n];
        const double worse = value.second > 0 ? value.second : value.first;
        return fmt::format(
            "beside streams that fill the uplinks {} gets {} with nodes of {}, and "
            "{} elsewhere",
            node(outlier.nodes[n]), rate_text(worse), name(file_switch),
            rate_text(value.reference.value));
    }

    [[nodiscard]] std::string of_place(const Outlier& outlier) const {
        const std::string where =
            outlier.switches.size() > 1
                ? fmt::format("hangs on switch {}, not on {}", name(outlier.switches[1]),
                              name(outlier.switches[0]))
                : fmt::format("does not hang on switch {}", name(outlier.switches[0]));
        return fmt::format("node {}: {} as the file says; {}", node(outlier.nodes[0]), where,
                           inside(outlier, 0, outlier.switches[0]));
    }

    const Cluster& cluster_;
    const Allocation& allocation_;
};

}  // namespace

std::vector<std::string> not_tested(const Cluster& cluster, const Allocation& allocation,
                                    const CheckPlan& plan, const References& references,
                                    const Suspects& suspects, const CheckPlan& second) {
    std::vector<std::string> sentences = plan.not_tested;
    std::set<std::uint32_t> classes;
    std::set<NodeId> met;
    for (const CheckSeries& series : plan.series) {
        for (const CheckPair& pair : series.pairs) {
            if (series.of != CheckOf::work || references.of_work(pair.sender)) continue;
            const auto& node = allocation.nodes[pair.sender].name;
            const auto found = cluster.node_index.find(node);
            classes.insert(cluster.nodes[found->second].class_index);
        }
    }
    for (const std::uint32_t c : classes) {
        sentences.push_back(
            fmt::format("the CPUs of class {}: a median needs three nodes of the class",
                        commmap::quoted(cluster.classes[c].name)));
    }
    for (const CheckSeries& series : second.series) {
        if (series.of != CheckOf::place) continue;
        for (const CheckPair& pair : series.pairs) met.insert({pair.sender, pair.receiver});
    }
    for (const std::uint32_t p : paths_without_other_streams(second, suspects)) {
        const UplinkPath& path = second.paths[p];
        sentences.push_back(
            fmt::format("the uplinks from switch {} to {}: the nodes that would fill them seem "
                        "slow themselves, "
                        "and slow uplinks look the same",
                        commmap::quoted(cluster.switches[path.from].name),
                        commmap::quoted(cluster.switches[path.to].name)));
    }
    for (const NodeId n : suspects.places) {
        if (met.contains(n)) continue;
        sentences.push_back(fmt::format(
            "whether node {} hangs on another switch, as it seemed: too few other nodes",
            allocation.nodes[n].name));
    }
    return sentences;
}

std::string describe_series(const CheckSeries& series, const Allocation& allocation) {
    std::string text(series_names.at(static_cast<std::size_t>(series.of)));
    const bool work = series.of == CheckOf::work;
    if (series.pairs.size() > most_streams) {
        return text + ": " + plural(series.pairs.size(), work ? "node" : "stream") + " at once";
    }
    text += ':';
    for (const CheckPair& pair : series.pairs) {
        text += ' ' + allocation.nodes[pair.sender].name;
        if (!work) text += '>' + allocation.nodes[pair.receiver].name;
    }
    return text;
}

std::string describe_check(const CheckPlan& plan, const Allocation& allocation) {
    std::string text;
    for (const CheckSeries& series : plan.series)
        text += describe_series(series, allocation) + '\n';
    for (const std::string& sentence : plan.not_tested) text += "not tested: " + sentence + '\n';
    return text + fmt::format("{} measurements, about {:.0f} s; what is slow is measured again\n",
                              plan.series.size(), std::ceil(expected_s(plan)));
}

std::string text_of_check(const Cluster& cluster, const Allocation& allocation,
                          const CheckReport& report) {
    const OutlierText outlier_text(cluster, allocation);
    std::string text;
    for (const Outlier& outlier : report.outliers) text += outlier_text.of(outlier) + '\n';
    for (const std::string& sentence : report.not_tested) text += "not tested: " + sentence + '\n';
    return text + fmt::format("{}, {} checked in {:.0f} s{}: {}\n",
                              plural(report.num_nodes, "node"),
                              plural(report.num_uplinks, "uplink"), report.seconds,
                              report.complete ? "" : ", not all of it",
                              report.outliers.empty() ? "no outlier"
                                                      : plural(report.outliers.size(), "outlier"));
}

std::string json_of_check(const Cluster& cluster, const Allocation& allocation,
                          const CheckReport& report) {
    using nlohmann::json;
    const OutlierText outlier_text(cluster, allocation);
    json outliers = json::array();
    for (const Outlier& outlier : report.outliers) {
        json nodes = json::array();
        for (const NodeId n : outlier.nodes) nodes.push_back(allocation.nodes[n].name);
        json switches = json::array();
        for (const std::uint32_t s : outlier.switches) switches.push_back(cluster.switches[s].name);
        json values = json::array();
        for (const SlowValue& value : outlier.values) {
            values.push_back({{"direction", value.direction == Direction::out ? "out" : "in"},
                              {"unit", value.is_work ? "s" : "B/s"},
                              {"first", value.first},
                              {"second", value.second},
                              {"reference", value.reference.value},
                              {"peers", value.reference.peers},
                              {"share", value.share()},
                              {"times_spread", value.times_spread()}});
        }
        outliers.push_back({{"kind", kind_names.at(static_cast<std::size_t>(outlier.kind))},
                            {"nodes", nodes},
                            {"switches", switches},
                            {"like_class", outlier.like_class == no_id
                                               ? json(nullptr)
                                               : json(cluster.classes[outlier.like_class].name)},
                            {"values", values},
                            {"text", outlier_text.of(outlier)}});
    }
    const json document{{"nodes_checked", report.num_nodes},
                        {"uplinks_checked", report.num_uplinks},
                        {"seconds", report.seconds},
                        {"complete", report.complete},
                        {"outliers", outliers},
                        {"not_tested", report.not_tested}};
    // Names of the file need not be UTF-8, and a long one is cut anywhere.
    return document.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace commmap::cli
