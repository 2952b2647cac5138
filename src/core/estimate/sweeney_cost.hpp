// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/estimate/estimator.hpp"

namespace commmap {

/// Sweeney's cost estimator, Fig. 4 line by line. The paper's own figures are made with it.
/// Plans use port_cost() instead, whose header lists the differences.
///
/// @return  C, the cost of the costliest port in seconds, lower is better; invalid_input as
///          check_placement()
/// Cost: O(entries * depth + ranks * ports). Thread-safe. Same input, same result.
/// Source: Sweeney, Wisniewski, Cascaval, Smith, "Optimizing Communication in MPI Programs for an
/// Execution Environment", IBM Research Report, Sec. 5, Fig. 4.
/// As printed:
/// - Bytes at a port grow by the length of a message, whatever its count.
/// - A port's bytes grow before bytesAvailable is worked out, so its first task is charged twice.
/// - A port can cost less than one of its tasks takes there.
/// - Latencies and the maximum bandwidth of switch elements do not count.
/// - A half-duplex link has two directions like any other.
/// Where the figure is unclear:
/// - msg.len is exact there; here it is the mean of the messages that share a size bucket.
/// - A port at which a task has no bytes is left as it is (the figure would divide 0 by 0).
/// - A port without a maximum bandwidth: maxBandwidth * cost is 0 while the cost is 0, and infinite
///   after that.
[[nodiscard]] Result<double> sweeney_cost(const CommGraph& graph, const Hct& hct,
                                          Placement placement);

}  // namespace commmap
