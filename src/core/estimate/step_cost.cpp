#include "core/estimate/step_cost.hpp"

#include <algorithm>

#include "core/estimate/port_cost.hpp"

namespace commmap {

StepCost::StepCost(std::span<const CommGraph> steps, const Hct& hct) {
    tables_.reserve(steps.size());
    for (const CommGraph& step : steps) tables_.emplace_back(step, hct);
}

double StepCost::of(Placement placement, double whole_s) const {
    double sum = 0.0;
    for (const PortTable& table : tables_) sum += port_cost(table, placement).cost_s;
    return std::max(sum, whole_s);
}

}  // namespace commmap
