// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "core/estimate/estimator.hpp"

namespace commmap {

/// Tells which way messages pass an element: out of its port, into its port, or through a switch
/// element that has a bound of its own. Messages of both directions share the port of a half-duplex
/// link.
enum class PortDirection : unsigned char { out, in, through, both };

/// The load of one end of a link: an element's port in one direction or (half duplex) in both, or a
/// switch element's own bound.
struct PortLoad {
    ElementId element = 0;
    PortDirection direction = PortDirection::out;
    double cost_s = 0.0;
    double bytes = 0.0;
};

struct PortCost {
    double cost_s = 0.0;  ///< cost of the most loaded port: Sweeney's C
    PortLoad bottleneck;  ///< the most loaded port (first in element order among equals)
};

/// Communication cost of a placement: the busiest port of the tree, in seconds. Lower is better.
///
/// Goes through the source ranks in rank order. Every message of a rank adds its time to the ports
/// on its path: messages of one rank do not overlap. Then each port takes the rank's time, as far
/// as the port's maximum bandwidth does not let it overlap with the times of earlier ranks.
/// A switch element with a maximum bandwidth is treated as one more port that every message through
/// it uses once.
/// A half-duplex link is one port for the messages of both directions.
///
/// Cost: O(entries * depth + loaded (rank, port) pairs). Thread-safe. Same input, same result.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 5, Fig. 4. sweeney_cost() is the figure as
/// printed. Differs from it:
/// - taskBytes grows by length * count; the figure drops the count.
/// - A port's bytes grow after bytesAvailable is worked out; the other order charges the first
///   task twice.
/// - A port is never cheaper than its costliest task; the figure lets a long series of tiny
///   messages hide behind an earlier, shorter one.
/// - A task's time at a port is at least its bytes / maximum bandwidth, for curves that are given
///   above the maximum.
/// - A message takes latency + length / bandwidth(length); the figure has no latency.
/// - The maximum bandwidth of a switch element counts; the figure leaves it out.
/// - Half-duplex links are there; the figure has two directions on each link.
/// - msg.len is exact there. Here it is the mean of the messages in one size bucket. Their
///   lengths differ by up to a factor of four, which on a steep part of a curve is another
///   bandwidth.
/// - Phases are added up before the busiest port is looked for (Sec. 3.2 has a cost for each
///   phase). The result is at most the sum of the phases' costs; StepCost adds costs up, step by
///   step.
[[nodiscard]] Result<PortCost> port_cost(const CommGraph& graph, const Hct& hct,
                                         Placement placement);

class PortTable;

/// Does the same from the table of the graph and the tree, for many placements of one graph.
/// @pre check_placement() holds
/// Cost: O(entries * depth).
[[nodiscard]] PortCost port_cost(const PortTable& table, Placement placement);

/// Returns the load of every port and bounded switch that carries anything, heaviest first.
/// Cost and errors: as port_cost().
[[nodiscard]] Result<std::vector<PortLoad>> port_loads(const CommGraph& graph, const Hct& hct,
                                                       Placement placement);

}  // namespace commmap
