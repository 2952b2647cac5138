// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/yaml_links.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/text/one_line.hpp"
#include "core/text/units.hpp"

namespace commmap {
namespace {

using namespace std::string_view_literals;

constexpr std::array link_keys{"bandwidth"sv, "latency"sv, "gap"sv,  "max_bandwidth"sv,
                               "out"sv,       "in"sv,      "rate"sv, "duplex"sv};
constexpr std::array channel_keys{"bandwidth"sv, "latency"sv, "gap"sv, "max_bandwidth"sv};
/// Share of the latency that a link without a `gap` gets as its gap. The share was measured over
/// TCP (docs/admin/cluster-yaml.md).
constexpr double usual_gap = 0.125;

}  // namespace

Status YamlLinks::read(const YAML::Node& section) {
    const auto map = reader_.read_map(section, "'links'");
    if (!map) return map.error();
    for (const YamlReader::Entry& entry : map.value()) {
        auto port = read_port(entry.value, "link " + quoted(entry.key));
        if (!port) return port.error();
        links_.emplace(entry.key, std::move(port).value());
    }
    return Ok{};
}

Result<Port> YamlLinks::read_link(const YAML::Node& node, const std::string& what) const {
    if (!node.IsScalar()) return read_port(node, "the link of " + what);
    const auto known = links_.find(node.Scalar());
    if (known != links_.end()) return known->second;
    std::vector<std::string_view> names;
    for (const auto& [name, port] : links_) names.push_back(name);
    const std::string hint = hint_for(node.Scalar(), names, "define it under 'links'");
    return reader_.error(
        node, Error{Errc::not_found,
                    fmt::format("unknown link {} of {}{}", quoted(node.Scalar()), what, hint)});
}

Result<Port> YamlLinks::read_port(const YAML::Node& node, const std::string& what) const {
    const auto map = reader_.read_map(node, what, link_keys);
    if (!map) return map.error();
    auto out = read_channel(map.value(), "out", what);
    if (!out) return out.error();
    auto in = read_channel(map.value(), "in", what);
    if (!in) return in.error();
    const auto payload =
        read_second(map.value(), "rate", what, {"line", "bandwidths count headers too"},
                    {"payload", "they count messages"});
    if (!payload) return payload.error();
    in.value().is_payload = out.value().is_payload = payload.value();
    const auto half_duplex = read_half_duplex(map.value(), what);
    if (!half_duplex) return half_duplex.error();
    return Port{std::move(in).value(), std::move(out).value(), half_duplex.value()};
}

Result<bool> YamlLinks::read_second(const YamlReader::Map& map, std::string_view key,
                                    const std::string& what, const Word& first,
                                    const Word& second) const {
    const YamlReader::Entry* entry = YamlReader::find(map, key);
    if (entry == nullptr) return false;
    const auto text = reader_.read_text(entry->value, fmt::format("{} of {}", key, what));
    if (!text) return text.error();
    if (text.value() == first.word) return false;
    if (text.value() == second.word) return true;
    return reader_.error(entry->value, fmt::format("{} of {} is {}; it must be {} ({}) or {} ({})",
                                                   key, what, quoted(text.value()), first.word,
                                                   first.meaning, second.word, second.meaning));
}

Result<bool> YamlLinks::read_half_duplex(const YamlReader::Map& map,
                                         const std::string& what) const {
    auto half = read_second(map, "duplex", what, {"full", "each direction has the bandwidth"},
                            {"half", "both directions share it"});
    if (!half || !half.value()) return half;
    for (const std::string_view direction : {"out"sv, "in"sv}) {
        if (const YamlReader::Entry* own = YamlReader::find(map, direction)) {
            return reader_.error(own->key_node,
                                 fmt::format("{} has '{}' and 'duplex: half': its directions share "
                                             "one bandwidth, so write the numbers once for both",
                                             what, direction));
        }
    }
    return true;
}

Result<Channel> YamlLinks::read_channel(const YamlReader::Map& map, const std::string& direction,
                                        const std::string& link) const {
    YamlReader::Map own;
    std::string what = link;
    if (const YamlReader::Entry* entry = YamlReader::find(map, direction)) {
        what = fmt::format("'{}' of {}", direction, link);
        auto read = reader_.read_map(entry->value, what, channel_keys);
        if (!read) return read.error();
        own = std::move(read).value();
    }
    for (const YamlReader::Entry& entry : own) {
        if (const YamlReader::Entry* both = YamlReader::find(map, entry.key)) {
            return reader_.error(
                entry.key_node,
                fmt::format("'{}' stands in {} and, for both directions, at {}; remove one",
                            entry.key, what, YamlReader::place(both->key_node)));
        }
    }
    const auto find = [&](std::string_view key) {
        const YamlReader::Entry* entry = YamlReader::find(own, key);
        return entry != nullptr ? entry : YamlReader::find(map, key);
    };

    Channel channel;
    if (const YamlReader::Entry* entry = find("bandwidth")) {
        auto curve = read_curve(entry->value, "bandwidth of " + what);
        if (!curve) return curve.error();
        channel.bandwidth = std::move(curve).value();
        channel.max_bandwidth_bytes_per_s = channel.bandwidth.highest();
    }
    if (const YamlReader::Entry* entry = find("latency")) {
        const auto latency = reader_.read_time_ns(entry->value, "latency of " + what);
        if (!latency) return latency.error();
        channel.latency_ns = latency.value();
        channel.gap_ns = usual_gap * channel.latency_ns;
    }
    if (const YamlReader::Entry* entry = find("gap")) {
        const auto gap = reader_.read_time_ns(entry->value, "gap of " + what);
        if (!gap) return gap.error();
        if (gap.value() > channel.latency_ns * (1 + 1e-9)) {
            return reader_.error(
                entry->value, fmt::format("gap {} of {} is longer than its latency, {}: a message "
                                          "that follows another one waits no longer than one alone",
                                          quoted(entry->value.Scalar()), what,
                                          format_seconds(channel.latency_ns * 1e-9)));
        }
        channel.gap_ns = std::min(gap.value(), channel.latency_ns);
    }
    if (const YamlReader::Entry* entry = find("max_bandwidth")) {
        const auto max = reader_.read_bandwidth(entry->value, "max_bandwidth of " + what);
        if (!max) return max.error();
        // A file may write one number in two units, which differ by a rounding error.
        // Short messages may be faster than the port drains them, because a network has buffers.
        if (!channel.bandwidth.unlimited() &&
            max.value() < channel.bandwidth.of_longest() * (1 - 1e-9)) {
            return reader_.error(
                entry->value,
                fmt::format("max_bandwidth {} of {} is lower than its bandwidth for long messages, "
                            "{}/s: all messages together get at least what one gets",
                            quoted(entry->value.Scalar()), what,
                            format_bytes(channel.bandwidth.of_longest())));
        }
        channel.max_bandwidth_bytes_per_s = max.value();
    }
    return channel;
}

Result<BandwidthCurve> YamlLinks::read_curve(const YAML::Node& node,
                                             const std::string& what) const {
    if (!node.IsMap()) {
        const auto value = reader_.read_bandwidth(node, what);
        if (!value) return value.error();
        return BandwidthCurve(value.value());
    }
    const auto map = reader_.read_map(node, what);
    if (!map) return map.error();
    if (map.value().empty()) {
        return reader_.error(node,
                             what + " is an empty map; give 'message length: value' or one value");
    }
    std::map<std::uint64_t, const YamlReader::Entry*> by_length;
    std::vector<BandwidthCurve::Point> points;
    for (const YamlReader::Entry& entry : map.value()) {
        const auto length = parse_length_bytes(one_line(entry.key, 80));
        if (!length) return reader_.error(entry.key_node, prefixed(what, length.error()));
        if (length.value() == 0) {
            return reader_.error(entry.key_node,
                                 fmt::format("{} has the message length '{}'; the shortest is 1 B",
                                             what, entry.key));
        }
        const auto [first, is_new] = by_length.try_emplace(length.value(), &entry);
        if (!is_new) {
            return reader_.error(
                entry.key_node,
                fmt::format("{} has '{}', which is the same length as '{}' at {}; remove one", what,
                            entry.key, first->second->key,
                            YamlReader::place(first->second->key_node)));
        }
        const auto value =
            reader_.read_bandwidth(entry.value, fmt::format("{} at '{}'", what, entry.key));
        if (!value) return value.error();
        points.push_back({length.value(), value.value()});
    }
    return BandwidthCurve(std::move(points));
}

}  // namespace commmap
