// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/calibration/measuring_text.hpp"
#include "core/calibration/series.hpp"
#include "core/topology/bandwidth_curve.hpp"

namespace commmap {

/// A measured value with its spread.
struct MeasuredValue {
    /// The value of the fastest block, because other load only adds time. NetPIPE does the same.
    double value = 0.0;
    /// (largest - smallest) / value of the blocks; 0 for a single block
    double spread = 0.0;
};

/// Numbers of one kind of ports, computed from the measurements.
struct MeasuredPort {
    /// The port, in payload: bytes of the program's messages, without headers.
    /// - A message of a length takes latency + length / bandwidth, as in the estimate
    ///   (port_cost.hpp). The gap of both directions is the measured one, but at most the latency;
    ///   0: not measured.
    /// - Points of the curves stand where bandwidth takes at least a tenth of the time. Those that
    ///   interpolation gives within 2 % are left out. A message counts as no slower than a longer
    ///   one.
    /// - The maximum of `out` is the most that streams got together that leave one port; of `in`,
    ///   that reach one port. Short messages may be faster, because a network has buffers.
    /// - A single message is as fast as the slower direction lets it be, so both directions have
    ///   the same curve.
    /// - Where `half_duplex` is not known, it is what the file says.
    Port port;
    MeasuredValue latency_s;             ///< half the shortest round trip; 0: not measured
    double largest_spread = 0.0;         ///< of the round trips that the curves were made from
    std::optional<MeasuredValue> gap_s;  ///< between short messages one behind another
    std::optional<MeasuredValue> send_overhead_s;     ///< in MPI_Send of a short message
    std::optional<MeasuredValue> receive_overhead_s;  ///< in MPI_Recv of one that has come
    std::optional<MeasuredValue> max_out;
    std::optional<MeasuredValue> max_in;
    /// true: the last pair added less than 5 %, so the port is full, and not the senders.
    bool max_out_reached = false;
    bool max_in_reached = false;
    /// Streams in both directions together over streams in one, of messages of
    /// eager_message_bytes: 2 in full duplex, 1 in half duplex.
    std::optional<double> both_over_one;
    /// Whether both directions share the bandwidth.
    /// - false: both together get at least 1.6 times the port's maximum at some length. The maximum
    ///   was reached.
    /// - true: not so, and at eager_message_bytes both get less than 1.25 times the maximum, which
    ///   one pair reaches. The maximum is below 125 MB/s, and the blocks differ by at most 15 %. Of
    ///   an uplink: all ports below it are known as full duplex.
    /// - nullopt: neither.
    std::optional<bool> half_duplex;

    [[nodiscard]] bool measured() const { return latency_s.value > 0; }
};

/// Computes the numbers of each kind of ports from the measurements.
/// @param series    what was planned
/// @param measured  answers, in any order; a series may lack some or all of its lengths, because
///                  the measuring program leaves out long ones, or was ended
/// @return  one for each kind, in their order
/// Cost: O(measured).
[[nodiscard]] std::vector<MeasuredPort> fit_ports(std::span<const PortKind> kinds,
                                                  std::span<const Series> series,
                                                  std::span<const Measured> measured);

}  // namespace commmap
