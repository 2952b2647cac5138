// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/topology/framing.hpp"

namespace commmap {

/// The message protocol of an MPI library, as far as the simulation models it
/// (docs/developer/simulation.md).
///
/// A short message is sent at once. A long message is announced by its sender, and the receiver
/// asks for the data once the receive is posted.
/// Source: Open MPI 4.1's ob1 over TCP.
struct Protocol {
    /// Messages of at least this many bytes are long.
    static constexpr double long_between_nodes = 65536.0;
    static constexpr double long_inside_nodes = 4096.0;
    /// A sender does not wait for data that fit into its socket.
    static constexpr double socket_bytes = 131072.0;
    static constexpr double control_bytes = 64.0;
    /// Linux hands so many bytes of one connection to a device at once (GSO, on a network with
    /// short round trips); then another connection has its turn.
    static constexpr double burst_bytes = 65536.0;
    /// A long message is sent in at most so many bursts, which are longer when they must be.
    static constexpr double most_bursts = 8.0;
    static constexpr double framing = wire_bytes_per_byte;

    /// Returns the number of short messages to one rank that travel together when they are sent one
    /// right after another.
    [[nodiscard]] static std::uint32_t sent_together(double bytes) {
        constexpr double most_bytes = 2048.0;
        return bytes < most_bytes / 64.0
                   ? 64U
                   : static_cast<std::uint32_t>(std::max(1.0, most_bytes / bytes));
    }
    /// Returns the number of parts that these messages to another node are on their connection. A
    /// long message counts as three: announcement, answer, data.
    [[nodiscard]] static double parts(std::uint32_t count, double bytes) {
        return is_long(bytes, true) ? 3.0 * count
                                    : std::ceil(static_cast<double>(count) / sent_together(bytes));
    }
    [[nodiscard]] static bool is_long(double bytes, bool between_nodes) {
        return bytes >= (between_nodes ? long_between_nodes : long_inside_nodes);
    }
};

}  // namespace commmap
