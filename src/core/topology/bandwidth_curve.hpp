#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace commmap {

/// Observed bandwidth of a channel as a function of message length (Sweeney et al., Sec. 3.1).
///
/// Points are sorted by length; between two points the bandwidth is linear in log2(length), outside
/// it is constant. A curve without points is unlimited. Cost of a look-up: O(log points).
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
    /// Sorted by length.
    [[nodiscard]] std::span<const Point> points() const { return points_; }
    friend auto operator<=>(const BandwidthCurve&, const BandwidthCurve&) = default;

private:
    std::vector<Point> points_;
};

/// One direction of a port.
struct Channel {
    BandwidthCurve bandwidth;
    double latency_ns = 0.0;  ///< of a message that is waited for, added to length / bandwidth
    /// Bound on what all tasks together get; infinity when only the switch bounds it.
    double max_bandwidth_bytes_per_s = std::numeric_limits<double>::infinity();
    /// For a message that is sent right behind another one, in place of the latency; at most that.
    /// Source: the gap g of Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995.
    double gap_ns = 0.0;

    /// Time that one message occupies the channel when it has it alone, in seconds.
    [[nodiscard]] double message_time_s(double length_bytes) const;
    /// Of several messages of one length.
    /// @param waits  how many latencies their sender waits for: as many as messages where it waits
    ///               for each one, fewer where it begins several and waits for them together
    [[nodiscard]] double messages_time_s(double count, double waits, double length_bytes) const;
    friend auto operator<=>(const Channel&, const Channel&) = default;
};

/// The port of an element towards its switch; Sweeney's "out" arrow points to the root, "in" away
/// from it.
struct Port {
    Channel in;
    Channel out;
    friend auto operator<=>(const Port&, const Port&) = default;
};

}  // namespace commmap
