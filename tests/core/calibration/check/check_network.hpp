// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/calibration/blocks.hpp"
#include "core/calibration/check/check_judge.hpp"
#include "core/calibration/check/check_plan.hpp"
#include "core/calibration/check/second_plan.hpp"
#include "core/topology/cluster_yaml.hpp"
#include "core/topology/framing.hpp"

namespace commmap {

/// A network whose streams share each port fairly, with faults that the file knows nothing of. It
/// answers a plan as the measuring program does.
class CheckNetwork {
public:
    /// @param file  what the check reads
    explicit CheckNetwork(const Cluster& file) : real_(file), allocation_(whole_cluster(file)) {
        for (const Cluster::Node& node : real_.nodes) hangs_on_.push_back(node.switch_index);
    }

    void slow_port(NodeId node, bool out, double share) { share_[{node, out}] = share; }
    void slow_uplink(std::uint32_t s, bool out, double share) { uplink_share_[{s, out}] = share; }
    void slow_work(NodeId node, double share) { work_share_[node] = share; }
    void swap(NodeId a, NodeId b) { std::swap(hangs_on_[a], hangs_on_[b]); }
    void move(NodeId node, std::uint32_t s) { hangs_on_[node] = s; }
    /// All that is measured from now on has so much of its speed.
    void slow_all(double share) { all_ = share; }

    [[nodiscard]] std::vector<Measured> measure(const CheckPlan& plan) const {
        std::vector<Measured> measured;
        for (std::uint32_t s = 0; s < plan.series.size(); ++s) {
            const CheckSeries& series = plan.series[s];
            const std::vector<double> rates =
                series.of == CheckOf::work ? seconds_of(series) : rates_of(series);
            for (std::uint32_t p = 0; p < rates.size(); ++p) {
                // blocks differ a little, and so do pairs
                const double base = rates[p] * (1 + 0.002 * static_cast<double>((s + 3 * p) % 5));
                measured.push_back(
                    {s, 1, {base, base * 0.99, base * 0.995, base * 0.985, base * 0.98}, p});
            }
        }
        return measured;
    }

private:
    using PortOf = std::tuple<int, std::uint32_t, bool>;  ///< of a node (0) or switch (1)

    [[nodiscard]] std::vector<double> seconds_of(const CheckSeries& series) const {
        std::vector<double> seconds;
        for (const CheckPair& pair : series.pairs) {
            const auto found = work_share_.find(pair.sender);
            seconds.push_back(0.1 / (found != work_share_.end() ? found->second : 1.0) / all_);
        }
        return seconds;
    }

    [[nodiscard]] double capacity(const PortOf& port) const {
        const auto& [kind, index, out] = port;
        const bool of_node = kind == 0;
        const Port& link = of_node ? real_.classes[real_.nodes[index].class_index].link
                                   : real_.switches[index].link;
        const auto& shares = of_node ? share_ : uplink_share_;
        const auto found = shares.find({index, out});
        const Channel& channel = out ? link.out : link.in;
        const double headers = channel.is_payload ? 1.0 : wire_bytes_per_byte;
        return channel.bandwidth.highest() / headers * all_ *
               (found != shares.end() ? found->second : 1.0);
    }

    [[nodiscard]] std::vector<PortOf> way(const CheckPair& pair) const {
        std::vector<PortOf> ports{{0, pair.sender, true}, {0, pair.receiver, false}};
        const auto above = [&](std::uint32_t s) {
            std::vector<std::uint32_t> all;
            for (; s != no_id; s = real_.switches[s].parent) all.push_back(s);
            return all;
        };
        const auto up = above(hangs_on_[pair.sender]);
        const auto down = above(hangs_on_[pair.receiver]);
        for (const std::uint32_t s : up) {
            if (std::find(down.begin(), down.end(), s) == down.end())
                ports.emplace_back(1, s, true);
        }
        for (const std::uint32_t s : down) {
            if (std::find(up.begin(), up.end(), s) == up.end()) ports.emplace_back(1, s, false);
        }
        return ports;
    }

    /// Max-min fair: again and again the port with the least for each of its streams is shared out.
    [[nodiscard]] std::vector<double> rates_of(const CheckSeries& series) const {
        std::vector<double> rates(series.pairs.size(), 0.0);
        std::set<std::size_t> open;
        std::map<PortOf, std::set<std::size_t>> streams;
        std::map<PortOf, double> left;
        for (std::size_t p = 0; p < series.pairs.size(); ++p) {
            open.insert(p);
            for (const PortOf& port : way(series.pairs[p])) {
                streams[port].insert(p);
                left[port] = capacity(port);
            }
        }
        while (!open.empty()) {
            double least = std::numeric_limits<double>::infinity();
            PortOf full;
            for (const auto& [port, through] : streams) {
                if (through.empty()) continue;
                const double each = left[port] / static_cast<double>(through.size());
                if (each < least) {
                    least = each;
                    full = port;
                }
            }
            const std::set<std::size_t> done = streams[full];
            for (const std::size_t p : done) {
                rates[p] = least;
                open.erase(p);
                for (const PortOf& port : way(series.pairs[p])) {
                    streams[port].erase(p);
                    left[port] -= least;
                }
            }
        }
        return rates;
    }

    const Cluster& real_;
    Allocation allocation_;
    std::vector<std::uint32_t> hangs_on_;
    std::map<std::pair<std::uint32_t, bool>, double> share_;
    std::map<std::pair<std::uint32_t, bool>, double> uplink_share_;
    std::map<NodeId, double> work_share_;
    double all_ = 1.0;
};

/// A whole check, with both measurements.
struct Checked {
    CheckPlan first;
    Suspects suspects;
    CheckPlan second;
    std::vector<Outlier> outliers;
};

/// @param second  measures the second time; else the same network does
inline Checked check(const Cluster& cluster, const CheckNetwork& network,
                     const CheckNetwork* second = nullptr,
                     std::uint32_t at_once = any_number_at_once) {
    const auto places = NodePlaces::find(cluster, whole_cluster(cluster));
    Checked checked;
    checked.first = plan_check(cluster, places.value(), at_once);
    const CheckValues values(checked.first, network.measure(checked.first));
    const References references(cluster, places.value(), checked.first, values);
    checked.suspects = find_suspects(checked.first, values, references);
    checked.second = plan_second(cluster, places.value(), checked.first, checked.suspects, at_once);
    const CheckValues again(checked.second,
                            (second != nullptr ? *second : network).measure(checked.second));
    checked.outliers = judge(cluster, places.value(), checked.first, values, references,
                             checked.suspects, checked.second, again);
    return checked;
}

/// "port m3 out in", "node m2", "path s0 s1 out", "swapped m3 m6"
inline std::string short_text(const Cluster& cluster, const Outlier& outlier) {
    constexpr const char* names[] = {"node", "port", "pair", "uplink", "path", "place", "swapped"};
    std::string text = names[static_cast<int>(outlier.kind)];
    for (const NodeId n : outlier.nodes) text += " " + cluster.nodes[n].name;
    const bool places =
        outlier.kind == Outlier::Kind::place || outlier.kind == Outlier::Kind::swapped;
    if (outlier.kind != Outlier::Kind::swapped) {
        for (const std::uint32_t s : outlier.switches) text += " " + cluster.switches[s].name;
    }
    if (places || outlier.kind == Outlier::Kind::node) return text;
    for (const SlowValue& value : outlier.values) {
        text += value.direction == Direction::out ? " out" : " in";
    }
    return text;
}

inline std::vector<std::string> short_texts(const Cluster& cluster, const Checked& checked) {
    std::vector<std::string> texts;
    for (const Outlier& outlier : checked.outliers) texts.push_back(short_text(cluster, outlier));
    return texts;
}

/// Leaf switches of `nodes` nodes each below one switch; ports and uplinks have the same rate.
/// Nodes are n0, n1, ... across the switches.
inline Cluster leaves_of(const std::vector<int>& nodes) {
    std::string children;
    std::string below;
    int next = 0;
    for (std::size_t s = 0; s < nodes.size(); ++s) {
        children += fmt::format("{}s{}", s == 0 ? "" : ", ", s);
        below += fmt::format("  s{}: {{nodes: 'n[{}-{}]', class: k, link: port}}\n", s, next,
                             next + nodes[s] - 1);
        next += nodes[s];
    }
    return parse_cluster_yaml(
               "version: 1\n"
               "links: {port: {bandwidth: 12.5 MB/s, latency: 60 us}}\n"
               "node_classes: {k: {hwloc: {synthetic: 'core:2 pu:1'}, link: port}}\n"
               "switches:\n"
               "  core: {switches: [" +
                   children + "]}\n" + below,
               "leaves.yaml")
        .value();
}

/// Two switches of `nodes` nodes each, whose uplinks are as wide as `ports` ports.
inline Cluster wide_leaves(int nodes, int ports) {
    return parse_cluster_yaml(
               fmt::format(
                   "version: 1\n"
                   "links: {{port: {{bandwidth: 12.5 MB/s, latency: 60 us}}, wide: "
                   "{{bandwidth: {} MB/s, latency: 60 us}}}}\n"
                   "node_classes: {{k: {{hwloc: {{synthetic: 'core:2 pu:1'}}, link: port}}}}\n"
                   "switches:\n"
                   "  core: {{switches: [s0, s1]}}\n"
                   "  s0: {{nodes: 'n[0-{}]', class: k, link: wide}}\n"
                   "  s1: {{nodes: 'n[{}-{}]', class: k, link: wide}}\n",
                   12.5 * ports, nodes - 1, nodes, 2 * nodes - 1),
               "wide.yaml")
        .value();
}

/// Nodes of two classes on one switch: `slow` ones with a tenth of the rate.
inline Cluster two_classes(int fast, int slow) {
    return parse_cluster_yaml(fmt::format("version: 1\n"
                                          "node_classes:\n"
                                          "  fast: {{hwloc: {{synthetic: 'core:1 pu:1'}}, link: "
                                          "{{bandwidth: 1 GB/s, latency: 2 us}}}}\n"
                                          "  slow: {{hwloc: {{synthetic: 'core:1 pu:1'}}, link: "
                                          "{{bandwidth: 100 MB/s, latency: 2 us}}}}\n"
                                          "switches:\n"
                                          "  core:\n"
                                          "    nodes:\n"
                                          "      - {{names: 'f[0-{}]', class: fast}}\n"
                                          "      - {{names: 'g[0-{}]', class: slow}}\n",
                                          fast - 1, slow - 1),
                              "classes.yaml")
        .value();
}

}  // namespace commmap
