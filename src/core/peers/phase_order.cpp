// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/phase_order.hpp"

#include <algorithm>
#include <utility>

namespace commmap {
namespace {

bool have_times(const std::vector<Phase>& phases) {
    return std::all_of(phases.begin(), phases.end(),
                       [](const Phase& phase) { return !phase.times.empty(); });
}

PhaseOrder order_by_times(const std::vector<Phase>& phases) {
    PhaseOrder order;
    order.is_known = true;
    std::vector<std::pair<double, std::size_t>> begins;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        order.begins.push_back(phases[i].times.size());
        for (const TimeRange& time : phases[i].times) begins.emplace_back(time.begin_s, i);
    }
    std::sort(begins.begin(), begins.end());
    for (const auto& [begin_s, phase] : begins) order.sequence.push_back(phase);
    return order;
}

/// Returns the only phase of this label, or none where several have it.
std::optional<std::size_t> only_phase_named(const std::string& label,
                                            std::span<const Phase> phases) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        if (phases[i].label != label) continue;
        if (found) return std::nullopt;
        found = i;
    }
    return found;
}

}  // namespace

PhaseOrder order_of(const Profile& profile) {
    if (have_times(profile.phases)) return order_by_times(profile.phases);
    PhaseOrder order;
    order.is_known = true;
    for (std::size_t i = 0; i < profile.phases.size(); ++i) {
        order.sequence.push_back(i);
        order.begins.push_back(std::max<std::uint64_t>(1, profile.phases[i].entered));
        order.is_known = order.is_known && order.begins.back() == 1;
    }
    return order;
}

PhaseOrder order_of_one_phase() { return {{0}, {1}, true}; }

std::vector<std::optional<std::size_t>> matched_phases(std::span<const Phase> phases,
                                                       std::span<const Phase> others) {
    std::vector<std::optional<std::size_t>> matched(phases.size());
    std::vector<bool> is_taken(others.size());
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const std::string& label = phases[i].label;
        if (!only_phase_named(label, phases)) continue;
        matched[i] = only_phase_named(label, others);
        if (matched[i]) is_taken[*matched[i]] = true;
    }
    for (std::size_t i = 0; i < std::min(phases.size(), others.size()); ++i)
        if (!matched[i] && !is_taken[i]) matched[i] = i;
    return matched;
}

}  // namespace commmap
