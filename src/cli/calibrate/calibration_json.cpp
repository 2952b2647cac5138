// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/calibration_json.hpp"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/calibrate/calibration_text.hpp"

namespace commmap::cli {
namespace {

using nlohmann::json;

json json_of(const std::optional<MeasuredValue>& value) {
    if (!value) return nullptr;
    return {{"value", value->value}, {"spread", value->spread}};
}

/// Numbers of a link outwards. JSON has no infinity: null stands for no limit.
json json_of(const Port& port) {
    const Channel& channel = port.out;
    json curve = json::array();
    for (const auto& [length, bandwidth] : channel.bandwidth.points()) {
        curve.push_back({length, bandwidth});
    }
    const double most = channel.max_bandwidth_bytes_per_s;
    return {{"latency_s", channel.latency_ns * 1e-9},
            {"curve", curve},
            {"max_bandwidth", std::isfinite(most) ? json(most) : json(nullptr)},
            {"rate", channel.is_payload ? "payload" : "line"},
            {"duplex", port.half_duplex ? "half" : "full"}};
}

json json_of(const PortKind& kind, const MeasuredPort& port, const std::string& name) {
    const bool measured = port.measured();
    return {{"name", name},
            {"link", kind.link_name.empty() ? json(nullptr) : json(kind.link_name)},
            {"ports", kind.num_ports},
            {"level", kind.is_inside() ? json(level_name(kind.level)) : json(nullptr)},
            {"why_not", kind.why_not},
            {"file", json_of(kind.link)},
            {"fitted", measured ? json_of(port.port) : json(nullptr)},
            {"latency", measured ? json_of(std::optional(port.latency_s)) : json(nullptr)},
            {"gap", json_of(port.gap_s)},
            {"send_overhead", json_of(port.send_overhead_s)},
            {"receive_overhead", json_of(port.receive_overhead_s)},
            {"max_out", json_of(port.max_out)},
            {"max_out_reached", port.max_out_reached},
            {"max_in", json_of(port.max_in)},
            {"max_in_reached", port.max_in_reached},
            {"both_over_one", port.both_over_one ? json(*port.both_over_one) : json(nullptr)},
            {"series", json::array()}};
}

json json_of(const SwitchKind& kind, const MeasuredSwitch& values, const MeasuredKinds& measured) {
    json names = json::array();
    for (const std::uint32_t s : kind.switches) names.push_back(measured.cluster.switches[s].name);
    const double most = kind.max_bandwidth_bytes_per_s;
    return {{"name", name_of_kind(measured.cluster, kind)},
            {"switches", names},
            {"measured_switch", kind.measured == no_id
                                    ? json(nullptr)
                                    : json(measured.cluster.switches[kind.measured].name)},
            {"num_pairs", kind.senders.size()},
            {"why_not", kind.why_not},
            {"file_max_bandwidth", std::isfinite(most) ? json(most) : json(nullptr)},
            {"alone", json_of(values.alone)},
            {"together", json_of(values.together)},
            {"is_limit", values.is_limit}};
}

json json_of(const NamedSeries& series) {
    json pairs = json::array();
    for (const auto& [sender, receiver] : series.pairs) {
        pairs.push_back(fmt::format("{}>{}", sender, receiver));
    }
    return {{"pattern", name_of(series.pattern)}, {"pairs", pairs}, {"points", json::array()}};
}

}  // namespace

std::string json_of_calibration(const MeasuredKinds& measured, std::span<const Series> series,
                                const Measurements& measurements) {
    std::vector<json> all;
    for (const NamedSeries& one : measurements.series) all.push_back(json_of(one));
    for (const Measured& one : measurements.measured) {
        if (one.series >= all.size()) continue;
        all[one.series]["points"].push_back(
            {{"length_bytes", one.length_bytes}, {"values", one.blocks}});
    }
    json kinds = json::array();
    for (std::size_t k = 0; k < measured.kinds.size(); ++k) {
        const PortKind& kind = measured.kinds[k];
        kinds.push_back(json_of(kind, measured.ports[k], name_of_kind(measured.cluster, kind)));
        for (std::size_t s = 0; s < series.size(); ++s) {
            if (series[s].kind == k) kinds.back()["series"].push_back(all[s]);
        }
    }
    json switches = json::array();
    for (std::size_t k = 0; k < measured.switches.size(); ++k) {
        switches.push_back(json_of(measured.switches[k], measured.measured_switches[k], measured));
    }
    const json document{{"date", measurements.date},         {"job", measurements.job},
                        {"library", measurements.library},   {"nodes", measurements.nodes},
                        {"complete", measurements.complete}, {"kinds", kinds},
                        {"switch_kinds", switches}};
    return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace commmap::cli
