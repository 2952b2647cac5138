// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/run_cost.hpp"

#include <algorithm>
#include <numeric>

#include "core/estimate/port_cost.hpp"

namespace commmap {

double RunTime::of(const double* parts_s) const { return bounds(parts_s).larger_s(); }

RunTime::Bounds RunTime::bounds(const double* parts_s) const {
    const std::size_t num_steps = per_step.size();
    const double whole_s = per_whole * parts_s[num_steps];
    if (num_steps == 0) return {rest_s + whole_s, rest_s + whole_s};
    const double steps_s = std::inner_product(per_step.begin(), per_step.end(), parts_s, 0.0);
    return {rest_s + steps_s, rest_s + (1.0 - share_of_whole) * steps_s + whole_s};
}

std::vector<double> waits_per_message_of(std::span<const StepGraph> steps) {
    std::vector<double> waits;
    if (steps.empty()) return waits;
    for (RankId rank = 0; rank < steps.front().graph.num_ranks(); ++rank) {
        double of_rank = 0.0;
        double messages = 0.0;
        for (const StepGraph& step : steps) {
            const double count = step.graph.count_sent_by(rank);
            messages += count;
            of_rank +=
                count * (step.waits_per_message.empty() ? 1.0 : step.waits_per_message[rank]);
        }
        waits.push_back(messages > 0.0 ? of_rank / messages : 1.0);
    }
    return waits;
}

RunCost::RunCost(std::span<const StepGraph> steps, std::shared_ptr<const PortTable> whole,
                 const Hct& hct)
    : whole_(std::move(whole)) {
    steps_.reserve(steps.size());
    for (const StepGraph& step : steps)
        steps_.emplace_back(step.graph, hct, step.waits_per_message);
}

std::vector<double> RunCost::parts_of(Placement placement) const {
    return parts_of(placement, port_cost(*whole_, placement).cost_s);
}

std::vector<double> RunCost::parts_of(Placement placement, double whole_s) const {
    std::vector<double> parts_s;
    parts_s.reserve(num_parts());
    for (const PortTable& step : steps_) parts_s.push_back(port_cost(step, placement).cost_s);
    parts_s.push_back(whole_s);
    return parts_s;
}

double cost_of(std::span<const double> parts_s) {
    return RunTime::of_costs(parts_s.size() - 1).of(parts_s.data());
}

}  // namespace commmap
