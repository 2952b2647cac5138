// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/measured_switches.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <cstdint>

#include "cli/calibrate/calibration_text.hpp"
#include "core/text/one_line.hpp"
#include "core/topology/editing/link_text.hpp"

namespace commmap::cli {
namespace {

/// What pairs get more than the file's maximum may be noise below this share.
constexpr double tolerance = 0.10;

std::string percent(const MeasuredValue& value) {
    return fmt::format("{:.1f} %", 100 * value.spread);
}

std::string name_of(const MeasuredKinds& measured, std::uint32_t s) {
    return "switch " + commmap::quoted(measured.cluster.switches[s].name);
}

/// "m0>m2 m1>m3 get 15.5 MB/s together (spread 1.2 %), one alone 11.9 MB/s (spread 0.3 %)"
std::string values_of(const MeasuredKinds& measured, std::size_t k) {
    const SwitchKind& kind = measured.switches[k];
    const MeasuredSwitch& values = measured.measured_switches[k];
    return fmt::format("{} get {} together (spread {}), one alone {} (spread {})",
                       pairs_text(kind.senders, kind.receivers, measured.allocation),
                       rate_text(values.together->value), percent(*values.together),
                       rate_text(values.alone->value), percent(*values.alone));
}

}  // namespace

std::vector<std::string> lines_of_switches(const MeasuredKinds& measured) {
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < measured.switches.size(); ++k) {
        const SwitchKind& kind = measured.switches[k];
        const MeasuredSwitch& values = measured.measured_switches[k];
        if (!values.measured()) {
            lines.push_back(fmt::format("maximum of {}: not measured{}",
                                        name_of_kind(measured.cluster, kind),
                                        kind.why_not.empty() ? "" : ", because " + kind.why_not));
            continue;
        }
        lines.push_back(fmt::format(
            "{}: {}: {}", name_of(measured, kind.measured), values_of(measured, k),
            values.is_limit ? "the switch is the limit" : "the switch was not seen to be a limit"));
    }
    return lines;
}

SwitchEdits edits_of_switches(const MeasuredKinds& measured) {
    SwitchEdits all;
    for (std::size_t k = 0; k < measured.switches.size(); ++k) {
        const SwitchKind& kind = measured.switches[k];
        const MeasuredSwitch& values = measured.measured_switches[k];
        if (!values.measured()) continue;
        const double most = values.together->value;
        if (!values.is_limit) {
            if (most > (1 + tolerance) * kind.max_bandwidth_bytes_per_s) {
                all.notes.push_back(fmt::format(
                    "{}: max_bandwidth {} of the file is too low: {}; raise it, or leave it out",
                    name_of_kind(measured.cluster, kind), rate_text(kind.max_bandwidth_bytes_per_s),
                    values_of(measured, k)));
            }
            continue;
        }
        if (kind.switches.size() > 1) {
            all.notes.push_back(fmt::format("{} switches get the maximum that was measured at {}",
                                            kind.switches.size(),
                                            name_of(measured, kind.measured)));
        }
        for (const std::uint32_t s : kind.switches) {
            const std::string& name = measured.cluster.switches[s].name;
            const std::string mark = fmt::format("measured maximum of {}: ", commmap::quoted(name));
            std::vector<std::string> comments{mark + measured.origin,
                                              mark + values_of(measured, k)};
            if (s != kind.measured) comments.back() += " at " + name_of(measured, kind.measured);
            all.edits.push_back({name, most, std::move(comments)});
        }
    }
    return all;
}

}  // namespace commmap::cli
