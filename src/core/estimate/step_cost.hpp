#pragma once

#include <span>
#include <vector>

#include "core/estimate/port_table.hpp"

namespace commmap {

/// Communication cost of a run whose steps are known (docs/steps.md), in seconds: the sum over its
/// steps of the busiest port in each. Lower is better.
///
/// Refers to neither graphs nor tree once built; thread-safe. Same input, same result.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 5, Fig. 4, for the ports of a step; Sec. 7.3
/// and 9 name order and blocking, which the paper leaves out, as the source of its errors.
class StepCost {
public:
    /// @param steps  what is sent in each, collectives expanded; of the same ranks
    StepCost(std::span<const CommGraph> steps, const Hct& hct);

    /// The cost is never below that of the whole run, although Fig. 4's overlap does not add up
    /// exactly. @pre check_placement() holds. Cost: steps * port_cost().
    /// @param whole_s  port_cost() of the placement and the whole run
    [[nodiscard]] double of(Placement placement, double whole_s) const;

private:
    std::vector<PortTable> tables_;
};

}  // namespace commmap
