// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/estimate/port_table.hpp"

namespace commmap {

/// The growth of the run time with the costs of a run's parts (RunCost):
///
///     steps = sum over the steps of per_step * cost
///     time  = rest + (1 - share) * steps + max(share * steps, per_whole * cost of the whole run)
///
/// If steps are not known: rest + per_whole * cost of the whole run.
struct RunTime {
    double rest_s = 0.0;           ///< seconds that no placement changes
    std::vector<double> per_step;  ///< by step: seconds of run time for a second of cost
    double share_of_whole = 1.0;   ///< of the steps' time: the whole run's cost can stand for it
    double per_whole = 1.0;        ///< seconds of run time for a second of cost

    /// Returns a run time that grows by a second for each second of cost.
    [[nodiscard]] static RunTime of_costs(std::size_t num_steps) {
        return {0.0, std::vector<double>(num_steps, 1.0), 1.0, 1.0};
    }
    /// Returns the run time.
    /// @param parts_s  by part, as in RunCost
    [[nodiscard]] double of(const double* parts_s) const;
    /// The two times of which of() takes the larger one.
    struct Bounds {
        double by_steps_s = 0.0;
        double by_whole_s = 0.0;
        [[nodiscard]] double larger_s() const { return std::max(by_steps_s, by_whole_s); }
    };
    [[nodiscard]] Bounds bounds(const double* parts_s) const;
    [[nodiscard]] double weight(std::size_t part) const {
        return part < per_step.size() ? per_step[part] : per_whole;
    }
};

/// Messages of a step, with collectives expanded.
struct StepGraph {
    CommGraph graph;
    /// Waits of each rank, see PortTable; empty: 1.
    std::vector<double> waits_per_message = {};
};

/// Returns by rank the mean of the steps' waits_per_message, weighted by messages.
/// @pre all steps have the same ranks
/// Cost: O(entries of all).
[[nodiscard]] std::vector<double> waits_per_message_of(std::span<const StepGraph> steps);

/// Communication costs of a run's parts. Parts are the steps (docs/developer/steps.md) and the
/// whole run, which is the last part.
/// The cost of a part is that of its busiest port, in seconds.
///
/// A run whose steps are not known has one part. All steps together have the messages of the whole.
///
/// Refers to neither graphs nor tree once built.
/// Threads: safe. Same input, same result.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 5, Fig. 4, for the ports of a part. Sec. 7.3
/// and 9 name order and blocking, which the paper leaves out, as the source of its errors.
class RunCost {
public:
    explicit RunCost(std::shared_ptr<const PortTable> whole) : whole_(std::move(whole)) {}
    /// @param whole  of the same ranks and tree
    RunCost(std::span<const StepGraph> steps, std::shared_ptr<const PortTable> whole,
            const Hct& hct);

    [[nodiscard]] std::size_t num_steps() const { return steps_.size(); }
    [[nodiscard]] std::size_t num_parts() const { return steps_.size() + 1; }
    [[nodiscard]] const PortTable& part(std::size_t part) const {
        return part < steps_.size() ? steps_[part] : *whole_;
    }
    [[nodiscard]] const PortTable& whole() const { return *whole_; }
    /// Returns the same table, for a user that outlives this object.
    [[nodiscard]] const std::shared_ptr<const PortTable>& shared_whole() const { return whole_; }

    /// Returns the costs by part.
    /// @pre check_placement() holds
    /// Cost: parts * port_cost().
    [[nodiscard]] std::vector<double> parts_of(Placement placement) const;
    /// Does the same if port_cost() of the whole run is known.
    [[nodiscard]] std::vector<double> parts_of(Placement placement, double whole_s) const;

private:
    std::vector<PortTable> steps_;
    std::shared_ptr<const PortTable> whole_;
};

/// Returns the cost of a placement: the sum of the steps' costs, but at least the cost of the whole
/// run. (Fig. 4's overlap does not add up exactly.)
/// @param parts_s  as of RunCost
[[nodiscard]] double cost_of(std::span<const double> parts_s);

}  // namespace commmap
