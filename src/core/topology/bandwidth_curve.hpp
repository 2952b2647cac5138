// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace commmap {

/// Observed bandwidth of a channel as a function of the message length (Sweeney et al., Sec. 3.1).
///
/// Points are sorted by length. Between two points the bandwidth is linear in log2(length). Outside
/// of the points it is constant. A curve without points is unlimited.
/// Cost of a look-up: O(log points).
/// Thread-safe once built.
class BandwidthCurve {
public:
    struct Point {
        std::uint64_t length_bytes;
        double bandwidth_bytes_per_s;
        friend auto operator<=>(const Point&, const Point&) = default;
    };

    BandwidthCurve() = default;
    explicit BandwidthCurve(double bandwidth_bytes_per_s);
    /// @param points in any order, lengths > 0 and distinct, bandwidths > 0
    explicit BandwidthCurve(std::vector<Point> points);

    /// @return bytes per second; infinity when unlimited
    [[nodiscard]] double at(double length_bytes) const;
    [[nodiscard]] bool unlimited() const { return points_.empty(); }
    /// Highest value of the curve; infinity when unlimited.
    [[nodiscard]] double highest() const;
    /// Value for the longest messages; infinity when unlimited.
    [[nodiscard]] double of_longest() const;
    /// Sorted by length.
    [[nodiscard]] std::span<const Point> points() const { return points_; }
    friend auto operator<=>(const BandwidthCurve&, const BandwidthCurve&) = default;

private:
    std::vector<Point> points_;
};

/// One direction of a port: how long messages take on it.
struct Channel {
    BandwidthCurve bandwidth;
    /// of a message that its sender waits for; added to length / bandwidth
    double latency_ns = 0.0;
    /// The most that all tasks together get; infinity when nothing but the switch limits them.
    double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
    /// Takes the place of the latency for a message that is sent right after another one; at most
    /// the latency.
    /// Source: the gap g of Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995.
    double gap_ns = 0.0;
    /// Whether the bandwidths count the bytes of messages only. Else they count the headers of the
    /// network too, which the simulation adds between nodes.
    bool is_payload = false;

    /// Time in seconds for which one message occupies the channel when no other message uses it.
    [[nodiscard]] double message_time_s(double length_bytes) const;
    /// Time in seconds for which several messages of one length occupy the channel.
    /// @param waits  number of latencies for which their sender waits: the number of messages when
    ///               it waits for each, fewer when it begins several and waits for them together
    [[nodiscard]] double messages_time_s(double count, double waits, double length_bytes) const;
    friend auto operator<=>(const Channel&, const Channel&) = default;
};

/// The port that joins an element to its parent. `out` points to the root, `in` away from the root,
/// as the arrows in Sweeney's figures.
struct Port {
    Channel in;
    Channel out;
    /// Whether the two directions share one bandwidth. They have the same numbers then, and the
    /// messages of both count as one load.
    bool half_duplex = false;
    friend auto operator<=>(const Port&, const Port&) = default;
};

}  // namespace commmap
