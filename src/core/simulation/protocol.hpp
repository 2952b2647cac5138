#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace commmap {

/// How MPI libraries move messages, as far as a simulated run knows (docs/developer/simulation.md).
///
/// A short message is sent at once. A long message is announced by its sender. The receiver asks
/// for the data once the receive is posted. Source: Open MPI 4.1's ob1 over TCP.
struct Protocol {
    /// Messages of at least this many bytes are long.
    static constexpr double long_between_nodes = 65536.0;
    static constexpr double long_inside_nodes = 4096.0;
    /// A sender need not wait for data that fit its socket.
    static constexpr double socket_bytes = 131072.0;
    static constexpr double control_bytes = 64.0;
    /// Linux hands so much of one connection to a device at once (GSO, on a network of short round
    /// trips); then it is another connection's turn.
    static constexpr double burst_bytes = 65536.0;
    /// A long message has no more bursts than these, which are then longer.
    static constexpr double most_bursts = 8.0;
    /// An Ethernet frame takes 1,538 bytes on the wire for 1,448 of a message over TCP.
    static constexpr double framing = 1538.0 / 1448.0;

    /// So many short messages to one rank, sent one right after another, travel as one.
    [[nodiscard]] static std::uint32_t sent_together(double bytes) {
        constexpr double most_bytes = 2048.0;
        return bytes < most_bytes / 64.0
                   ? 64U
                   : static_cast<std::uint32_t>(std::max(1.0, most_bytes / bytes));
    }
    /// What so many messages to another node are on their connection: with announcements and
    /// answers of long ones.
    [[nodiscard]] static double parts(std::uint32_t count, double bytes) {
        return is_long(bytes, true) ? 3.0 * count
                                    : std::ceil(static_cast<double>(count) / sent_together(bytes));
    }
    [[nodiscard]] static bool is_long(double bytes, bool between_nodes) {
        return bytes >= (between_nodes ? long_between_nodes : long_inside_nodes);
    }
};

}  // namespace commmap
