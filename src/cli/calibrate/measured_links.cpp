// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/measured_links.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cli/calibrate/calibration_text.hpp"
#include "cli/calibrate/measured_switches.hpp"
#include "core/text/one_line.hpp"
#include "core/text/units.hpp"
#include "core/topology/editing/link_text.hpp"

namespace commmap::cli {
namespace {

using Paths = std::vector<std::vector<std::string>>;

/// Two kinds of ports that differ by less are the same link.
constexpr double same_link = 0.10;
/// Latencies of the same kind of link were seen to differ by a third from pair to pair.
constexpr double same_latency = 0.50;
/// Directions that differ by less are the same.
constexpr double same_directions = 0.05;

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

bool near(double a, double b, double share) {
    if (!std::isfinite(a) || !std::isfinite(b)) return std::isfinite(a) == std::isfinite(b);
    return std::abs(a - b) <= share * std::max(a, b);
}

/// Whether two kinds of ports may share a link.
bool near(const MeasuredPort& a, const MeasuredPort& b) {
    const auto max = [](const Channel& channel) { return channel.max_bandwidth_bytes_per_s; };
    return a.port.half_duplex == b.port.half_duplex &&
           near(a.latency_s.value, b.latency_s.value, same_latency) &&
           near(a.port.out.bandwidth.of_longest(), b.port.out.bandwidth.of_longest(), same_link) &&
           near(max(a.port.out), max(b.port.out), same_link) &&
           near(max(a.port.in), max(b.port.in), same_link);
}

LinkNumbers numbers_of(const MeasuredPort& measured) {
    const Channel& in = measured.port.in;
    const Channel& out = measured.port.out;
    double out_max = out.max_bandwidth_bytes_per_s;
    double in_max = in.max_bandwidth_bytes_per_s;
    // one curve for both, which neither maximum is below
    const BandwidthCurve& curve = out_max <= in_max ? out.bandwidth : in.bandwidth;
    if (measured.port.half_duplex || near(out_max, in_max, same_directions)) {
        out_max = in_max = std::max(out_max, in_max);
    }
    return {measured.latency_s.value, curve, out_max, in_max, out.gap_ns * 1e-9,
            measured.port.half_duplex};
}

bool has_maxima(const MeasuredPort& port) { return port.max_out && port.max_in; }

/// The lines below a link's name.
std::vector<std::string> keys_of(const MeasuredPort& measured) {
    const LinkNumbers numbers = numbers_of(measured);
    std::vector<std::string> keys{"latency: " + format_seconds(numbers.latency_s)};
    if (numbers.gap_s > 0) keys.push_back("gap: " + format_seconds(numbers.gap_s));
    if (!numbers.bandwidth.unlimited()) {
        keys.push_back("bandwidth: " + curve_text(numbers.bandwidth));
    }
    const std::string out = rate_text(numbers.max_out_bytes_per_s);
    const std::string in = rate_text(numbers.max_in_bytes_per_s);
    if (has_maxima(measured) && out == in) {
        keys.push_back("max_bandwidth: " + out);
    } else if (has_maxima(measured)) {
        keys.push_back(fmt::format("out: {{max_bandwidth: {}}}", out));
        keys.push_back(fmt::format("in: {{max_bandwidth: {}}}", in));
    }
    if (numbers.half_duplex) keys.emplace_back("duplex: half");
    keys.emplace_back("rate: payload");
    return keys;
}

/// Lines of comment on a kind: its nodes, and how good the numbers are.
std::vector<std::string> comments_on(const std::string& name, const PortKind& kind,
                                     const MeasuredPort& port, const Allocation& allocation) {
    constexpr std::size_t most_ends = 8;
    std::string nodes =
        fmt::format("{}: {} with", name, name_of_end(allocation, kind.node, kind.ends_a.front()));
    for (std::size_t p = 0; p < std::min(kind.ends_b.size(), most_ends); ++p) {
        nodes += " " + name_of_end(allocation, kind.node, kind.ends_b[p]);
    }
    if (kind.ends_b.size() > most_ends) {
        nodes += fmt::format(" and {} more", kind.ends_b.size() - most_ends);
    }
    std::string spread = fmt::format("spread: latency {}, round trips up to {}",
                                     percent(port.latency_s.spread), percent(port.largest_spread));
    if (has_maxima(port)) {
        spread += fmt::format(", maxima {} out, {} in", percent(port.max_out->spread),
                              percent(port.max_in->spread));
    }
    if (port.gap_s) spread += ", gap " + percent(port.gap_s->spread);
    std::vector<std::string> lines{std::move(nodes), std::move(spread)};
    if (port.send_overhead_s && port.receive_overhead_s) {
        lines.push_back(fmt::format(
            "a short message takes {} to send (spread {}), {} to receive ({})",
            format_seconds(port.send_overhead_s->value), percent(port.send_overhead_s->spread),
            format_seconds(port.receive_overhead_s->value),
            percent(port.receive_overhead_s->spread)));
    }
    if (!has_maxima(port)) {
        lines.emplace_back("the maximum was not measured");
    } else if (!(port.max_out_reached && port.max_in_reached)) {
        lines.emplace_back(
            kind.ends_a.size() == 1
                ? "one pair only: whether more pairs would get more is not known"
                : "the last pair still gained, or was not measured: the maximum may be higher");
    }
    if (port.both_over_one) {
        lines.push_back(fmt::format("both directions together get {:.2f} times what one gets{}",
                                    *port.both_over_one,
                                    port.half_duplex.value_or(false) ? ": half duplex" : ""));
    }
    return lines;
}

/// Whether a class or a switch has a link of this name.
bool is_used(const Cluster& cluster, const std::string& link) {
    const auto uses = [&](const auto& user) { return user.link_name == link; };
    return std::any_of(cluster.classes.begin(), cluster.classes.end(), uses) ||
           std::any_of(cluster.switches.begin(), cluster.switches.end(), uses);
}

/// Whether `inside` of a class names a link.
bool is_used_inside(const Cluster& cluster, const std::string& link) {
    return std::any_of(cluster.classes.begin(), cluster.classes.end(), [&](const NodeClass& one) {
        return std::any_of(one.inside_link_names.begin(), one.inside_link_names.end(),
                           [&](const auto& its) { return its.second == link; });
    });
}

/// Whether the file has named links, so that there is a section for another one.
bool has_links_section(const Cluster& cluster) {
    const auto has_name = [](const auto& user) { return !user.link_name.empty(); };
    const auto has_name_inside = [](const NodeClass& one) {
        return !one.inside_link_names.empty();
    };
    return std::any_of(cluster.classes.begin(), cluster.classes.end(), has_name) ||
           std::any_of(cluster.switches.begin(), cluster.switches.end(), has_name) ||
           std::any_of(cluster.classes.begin(), cluster.classes.end(), has_name_inside);
}

/// The link that a kind's numbers belong to.
struct LinkOfKind {
    std::string name;                 ///< empty: written in place
    std::optional<std::size_t> like;  ///< a kind before this one with nearly the same numbers
    bool is_new = false;              ///< not the one that the file has: another kind got that one
};

std::string last_word_of(const Cluster& cluster, const PortKind& kind) {
    if (kind.is_inside()) return level_name(kind.level);
    if (kind.owner == PortKind::Owner::node) return cluster.classes[kind.class_index].name;
    return kind.depth == 1 ? "uplink" : fmt::format("uplink{}", kind.depth);
}

/// @return  one for each kind; that of a kind that was not measured means nothing
std::vector<LinkOfKind> links_of_kinds(const MeasuredKinds& measured) {
    std::vector<LinkOfKind> links(measured.kinds.size());
    std::map<std::string, std::size_t> first_of;
    for (std::size_t k = 0; k < links.size(); ++k) {
        LinkOfKind& link = links[k];
        const PortKind& kind = measured.kinds[k];
        link.name = kind.link_name;
        const bool inside = kind.is_inside();
        if (!measured.ports[k].measured() || (link.name.empty() && !inside)) continue;
        // A link between nodes never gets the numbers of a port inside one.
        if (!inside || !(link.name.empty() || is_used(measured.cluster, link.name))) {
            const auto [first, alone] = first_of.try_emplace(link.name, k);
            if (alone) continue;
            if (near(measured.ports[k], measured.ports[first->second])) {
                link.like = first->second;
                continue;
            }
        }
        link.is_new = true;
        link.name = fmt::format(
            "{}-{}",
            link.name.empty() ? measured.cluster.classes[kind.class_index].name : link.name,
            last_word_of(measured.cluster, kind));
        while (is_used(measured.cluster, link.name) ||
               is_used_inside(measured.cluster, link.name) || first_of.contains(link.name)) {
            link.name += "-2";
        }
        first_of.emplace(link.name, k);
    }
    return links;
}

/// Says who should get a new link.
std::string advice_on_new(const MeasuredKinds& measured, const PortKind& kind,
                          const std::string& link) {
    const std::string name = name_of_kind(measured.cluster, kind);
    if (kind.is_inside()) {
        return fmt::format(
            "{} has no link of its own in the file: give its class inside: {{{}: {}}}", name,
            level_name(kind.level), yaml_name(link));
    }
    return fmt::format(
        "{} have link {} in the file, and differ from others that have it: "
        "give them the new link {}",
        name, commmap::quoted(kind.link_name), commmap::quoted(link));
}

/// Where the file has the link of a kind; several places for uplinks that are written in place.
Paths paths_of(const Cluster& cluster, const PortKind& kind, const std::string& link_name) {
    if (!link_name.empty()) return {{"links", link_name}};
    if (kind.is_inside()) return {};
    if (kind.owner == PortKind::Owner::node) {
        return {{"node_classes", cluster.classes[kind.class_index].name, "link"}};
    }
    Paths paths;
    for (std::size_t s = 1; s < cluster.switches.size(); ++s) {
        const Cluster::Switch& one = cluster.switches[s];
        if (one.link_name.empty() && one.link == kind.link &&
            depth_of(cluster, one) == kind.depth) {
            paths.push_back({"switches", one.name, "link"});
        }
    }
    return paths;
}

/// Names the users of a link that no measured kind stands for: "class 'fat', switch 's2'".
std::string users_not_measured(const MeasuredKinds& measured, const std::string& link) {
    const Cluster& cluster = measured.cluster;
    const auto is_measured = [&](const auto& is_wanted) {
        for (std::size_t k = 0; k < measured.kinds.size(); ++k) {
            if (measured.ports[k].measured() && is_wanted(measured.kinds[k])) return true;
        }
        return false;
    };
    std::string users;
    std::size_t left_out = 0;
    const auto add = [&](const std::string& what, const std::string& name) {
        constexpr std::size_t most_letters = 200;
        if (users.size() > most_letters) {
            ++left_out;
            return;
        }
        users += fmt::format("{}{} {}", users.empty() ? "" : ", ", what, commmap::quoted(name));
    };
    for (std::uint32_t c = 0; c < cluster.classes.size(); ++c) {
        const NodeClass& one = cluster.classes[c];
        if (one.link_name == link && !is_measured([&](const PortKind& kind) {
                return kind.owner == PortKind::Owner::node && kind.class_index == c &&
                       kind.link_name == link;
            })) {
            add("class", one.name);
        }
        for (const auto& its : one.inside_link_names) {
            const Level level = its.first;
            if (its.second == link && !is_measured([&](const PortKind& kind) {
                    return kind.is_inside() && kind.class_index == c && kind.level == level;
                })) {
                add(fmt::format("level '{}' inside of class", level_name(level)), one.name);
            }
        }
    }
    for (std::size_t s = 1; s < cluster.switches.size(); ++s) {
        const Cluster::Switch& one = cluster.switches[s];
        if (one.link_name == link && !is_measured([&](const PortKind& kind) {
                return kind.owner == PortKind::Owner::switch_ &&
                       kind.depth == depth_of(cluster, one) && kind.link_name == link;
            })) {
            add("switch", cluster.switches[s].name);
        }
    }
    return left_out == 0 ? users : fmt::format("{} and {} more", users, left_out);
}

/// "measured 'port': " begins each comment on a link, so that the next calibration finds them.
std::string mark_of(const std::vector<std::string>& path) {
    const std::string name = commmap::quoted(path[1]);
    if (path[0] == "links") return "measured " + name + ": ";
    return fmt::format("measured {} {}: ", path[0] == "switches" ? "switch" : "class", name);
}

}  // namespace

std::string origin_of(const Measurements& measurements) {
    return fmt::format("{}{}, {} nodes, {}, payload", measurements.date,
                       measurements.job.empty() ? "" : ", job " + measurements.job,
                       measurements.nodes.size(),
                       measurements.library.empty() ? "an unknown MPI" : measurements.library);
}

std::string yaml_of_links(const MeasuredKinds& measured) {
    std::string text = "# Measured by commmap calibrate: " + measured.origin + "\nlinks:\n";
    std::set<std::string> in_place;
    const std::vector<LinkOfKind> links = links_of_kinds(measured);
    for (std::size_t k = 0; k < links.size(); ++k) {
        const PortKind& kind = measured.kinds[k];
        const MeasuredPort& port = measured.ports[k];
        const std::string name = name_of_kind(measured.cluster, kind);
        const LinkOfKind& link = links[k];
        if (!port.measured()) {
            text += fmt::format("  # {}: not measured{}\n", name,
                                kind.why_not.empty() ? "" : ", " + kind.why_not);
            continue;
        }
        if (link.like) {
            text += fmt::format("  # {}: as {}, bandwidths within {}\n", name,
                                commmap::quoted(link.name), percent(same_link));
            continue;
        }
        if (link.is_new && kind.is_inside()) {
            text += fmt::format("  # {}\n", advice_on_new(measured, kind, link.name));
        } else if (link.is_new) {
            text += fmt::format("  # {} have {} too in the file, and differ: name this one there\n",
                                name, commmap::quoted(kind.link_name));
        }
        for (const std::string& line : comments_on(name, kind, port, measured.allocation)) {
            text += "  # " + line + '\n';
        }
        std::string label = link.name;
        if (label.empty()) {
            // copied by hand, each under a name of its own
            label = kind.owner == PortKind::Owner::node ? "port" : "uplink";
            if (is_used(measured.cluster, label) || !in_place.insert(label).second) {
                label += fmt::format("-{}", k);
            }
        }
        text += fmt::format("  {}:\n", yaml_name(label));
        for (const std::string& key : keys_of(port)) text += "    " + key + '\n';
    }
    for (const std::string& line : lines_of_switches(measured)) text += "  # " + line + '\n';
    return text;
}

LinkEdits edits_of_links(const MeasuredKinds& measured) {
    LinkEdits all;
    const std::vector<LinkOfKind> links = links_of_kinds(measured);
    for (std::size_t k = 0; k < links.size(); ++k) {
        const PortKind& kind = measured.kinds[k];
        const MeasuredPort& port = measured.ports[k];
        const std::string name = name_of_kind(measured.cluster, kind);
        if (!port.measured()) {
            all.notes.push_back(fmt::format("{}: not measured{}", name,
                                            kind.why_not.empty() ? "" : ", " + kind.why_not));
            continue;
        }
        if (links[k].like) continue;
        MeasuredPort written = port;
        if (port.port.half_duplex && kind.link.in != kind.link.out && !links[k].is_new) {
            written.port.half_duplex = false;
            all.notes.push_back(
                fmt::format("{}: 'duplex: half' is not written, because the link has 'out' and "
                            "'in': write its numbers once, and calibrate again",
                            name));
        }
        const LinkNumbers numbers = numbers_of(written);
        if (numbers.bandwidth.unlimited() || !has_maxima(port)) {
            all.notes.push_back(
                fmt::format("{}: not written, because {} not measured", name,
                            has_maxima(port) ? "the bandwidth was" : "the maxima were"));
            continue;
        }
        if (links[k].is_new && !has_links_section(measured.cluster)) {
            all.notes.push_back(fmt::format(
                "{}: not written, because the file has no section 'links' (-o - prints it)", name));
            continue;
        }
        std::vector<std::string> lines{measured.origin};
        for (std::string& line : comments_on(name, kind, port, measured.allocation)) {
            lines.push_back(std::move(line));
        }
        for (std::size_t other = 0; other < links.size(); ++other) {
            if (links[other].like != k || !measured.ports[other].measured()) continue;
            lines.push_back(fmt::format("{}: as these, bandwidths within {}",
                                        name_of_kind(measured.cluster, measured.kinds[other]),
                                        percent(same_link)));
        }
        if (!links[k].is_new && !links[k].name.empty()) {
            const std::string users = users_not_measured(measured, links[k].name);
            if (!users.empty()) {
                lines.push_back("not measured, and has the same link: " + users);
                all.notes.push_back(
                    fmt::format("link {} gets numbers for {} too, which this job could not measure",
                                commmap::quoted(links[k].name), users));
            }
        }
        if (links[k].is_new) {
            lines.push_back("no switch or class has this link yet");
            all.notes.push_back(advice_on_new(measured, kind, links[k].name));
        }
        for (std::vector<std::string>& path : paths_of(measured.cluster, kind, links[k].name)) {
            std::vector<std::string> comments;
            comments.reserve(lines.size());
            for (const std::string& line : lines) comments.push_back(mark_of(path) + line);
            all.edits.push_back({std::move(path), numbers, std::move(comments), kind.is_inside()});
        }
    }
    return all;
}

std::vector<LinkEdit> possible_edits(const Cluster& cluster, const std::vector<PortKind>& kinds) {
    const LinkNumbers numbers{1e-6, BandwidthCurve(1e9), 1e9, 1e9, 1e-7};
    std::map<std::vector<std::string>, LinkEdit> edits;
    for (const PortKind& kind : kinds) {
        if (!kind.why_not.empty()) continue;
        const bool inside = kind.is_inside();
        if (inside && is_used(cluster, kind.link_name)) continue;  // a new link gets the numbers
        for (std::vector<std::string>& path : paths_of(cluster, kind, kind.link_name)) {
            const LinkEdit edit{path, numbers, {mark_of(path)}, inside};
            edits.try_emplace(std::move(path), edit);
        }
    }
    std::vector<LinkEdit> all;
    all.reserve(edits.size());
    for (auto& [path, edit] : edits) all.push_back(std::move(edit));
    return all;
}

}  // namespace commmap::cli
