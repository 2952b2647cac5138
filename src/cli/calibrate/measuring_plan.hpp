// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "cli/calibrate/measuring_program.hpp"
#include "commmap/result.hpp"
#include "core/calibration/measurements.hpp"
#include "core/calibration/port_kind.hpp"
#include "core/calibration/series.hpp"
#include "core/calibration/switch_kind.hpp"

namespace commmap::cli {

/// What is measured between which nodes.
struct MeasuringPlan {
    Allocation allocation;
    std::vector<PortKind> kinds;  ///< between nodes, then inside of them
    std::vector<SwitchKind> switches;
    std::vector<Series> series;  ///< by step: between nodes, then inside one node after another
};

/// Plans what is measured between some nodes.
/// @param inside  whether ports inside the nodes are measured too
/// Errors: that of the allocation, and those of find_port_kinds()
[[nodiscard]] Result<MeasuringPlan> plan_between(const Cluster& cluster,
                                                 Result<Allocation> allocation, bool inside);

/// Runs the measuring program for each step of a plan, and shows the user how far it is. What
/// cannot be measured inside a node is left out, which a line says: links between nodes are worth
/// writing without it.
/// @param ended  how the steps ended, if they measured anything
/// Errors: invalid_input when nothing is planned or measured; those of run_measuring_program()
[[nodiscard]] Result<Measurements> measure(const MeasuringProgram& program, const Cluster& cluster,
                                           const MeasuringPlan& plan, Status& ended);

}  // namespace commmap::cli
