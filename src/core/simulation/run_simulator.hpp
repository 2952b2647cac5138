#pragma once

#include <cstdint>
#include <span>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/simulation/run_script.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

struct SimulationOptions {
    /// Ranks and answers are late by up to so many of the largest latency, by chance. The seed,
    /// and the number of the round or message, say how late: placements are compared alike. Set on
    /// the training half of bench/estimate (docs/developer/prediction.md); 0: nobody is ever late.
    double lateness = 2.0;
    std::uint64_t seed = 1;
};

/// Simulates the rounds of a script in a placement, and tells how long they take, in seconds.
///
/// A message waits for the messages before it on its connection. It then takes the latency, and
/// goes through its ports one after the other: each port is busy for the gap and for the bytes by
/// the bandwidth, and serves bursts in the order in which they come. A burst is at the next port as
/// soon as the port before begins with it. Long messages ask the receiver first (Protocol). A rank
/// goes on when all that its stage waits for is there.
///
/// The mean of script.repeats simulations, each with another seed. Same input, same result.
/// Thread-safe.
///
/// Errors: not_supported when ranks wait for messages that nobody sends before half of the rounds
/// are through. (Behind the end of lists that were cut they do.) invalid_input: a placement of
/// fewer ranks. Cost: O(messages * depth of the tree * log messages in flight), 0.2 us for a short
/// message on the development machine.
///
/// Source: the connections and ports of a discrete-event simulation as LogGOPSim's (Hoefler,
/// Schneider, Lumsdaine, "LogGOPSim: Simulating Large-Scale Applications in the LogGOPS Model",
/// HPDC 2010). Differs from it: ports are shared, as in a network of switches; answers wait behind
/// data on a connection.
[[nodiscard]] Result<double> simulated_time_s(const RunScript& script, const Hct& hct,
                                              std::span<const PuId> placement,
                                              const SimulationOptions& options = {});

}  // namespace commmap
