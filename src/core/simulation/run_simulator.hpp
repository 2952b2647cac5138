// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/simulation/run_script.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

struct SimulationOptions {
    /// Ranks and answers are late by a random time of up to so many of the largest latency; 0:
    /// never. The seed and the number of the round or message decide how late, so that all
    /// placements get the same delays. Set on the training half of bench/estimate
    /// (docs/developer/prediction.md).
    double lateness = 2.0;
    std::uint64_t seed = 1;
};

/// Simulates the rounds of a script in a placement, and returns how long they take, in seconds.
///
/// - A message waits for the messages before it on its connection. It then takes the latency, and
///   passes its ports one after the other.
/// - A port is busy for the gap, and for the bytes divided by its bandwidth. It serves bursts in
///   the order in which they arrive.
/// - A burst reaches the next port as soon as the port before begins with it.
/// - A long message asks the receiver first (Protocol).
/// - A rank goes on when everything that its stage waits for has arrived.
///
/// @return  the mean of script.repeats simulations, each with another seed
/// Same input, same result. Thread-safe.
/// Errors: invalid_input for a placement of fewer ranks. not_supported when ranks wait for messages
/// that nobody sends before half of the rounds are done. (After the end of lists that were cut,
/// ranks do wait so.)
/// Cost: O(messages * depth of the tree * log messages in flight); 0.2 us for a short message on
/// the development machine.
/// Source: connections and ports as in LogGOPSim (Hoefler, Schneider, Lumsdaine, "LogGOPSim:
/// Simulating Large-Scale Applications in the LogGOPS Model", HPDC 2010).
/// Differs from the paper: ports are shared, as in a network of switches, and answers wait behind
/// data on a connection.
[[nodiscard]] Result<double> simulated_time_s(const RunScript& script, const Hct& hct,
                                              std::span<const PuId> placement,
                                              const SimulationOptions& options = {});

}  // namespace commmap
