#include "core/estimate/run_cost.hpp"

#include <algorithm>
#include <numeric>

#include "core/estimate/port_cost.hpp"

namespace commmap {

double RunTime::of(const double* parts_s) const {
    const std::size_t num_steps = per_step.size();
    const double by_whole_s = rest_by_whole_s + per_whole * parts_s[num_steps];
    if (num_steps == 0) return by_whole_s;
    const double by_steps_s =
        std::inner_product(per_step.begin(), per_step.end(), parts_s, rest_by_steps_s);
    return std::max(by_steps_s, by_whole_s);
}

RunCost::RunCost(std::span<const CommGraph> steps, std::shared_ptr<const PortTable> whole,
                 const Hct& hct)
    : whole_(std::move(whole)) {
    steps_.reserve(steps.size());
    for (const CommGraph& step : steps) steps_.emplace_back(step, hct);
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
