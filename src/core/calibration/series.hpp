// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commmap/ids.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/calibration/port_kind.hpp"
#include "core/calibration/switch_kind.hpp"

namespace commmap {

/// Messages between pairs of nodes or CPUs, all pairs at once, for one message length after
/// another.
struct Series {
    std::uint32_t kind = no_id;         ///< of ports that it measures: index; no_id: of switches
    std::uint32_t switch_kind = no_id;  ///< of switches that it measures: index; no_id: of ports
    MeasuringPattern pattern = MeasuringPattern::round_trips;
    NodeId inside_of = no_id;  ///< no_id: the ends are nodes; else CPUs of this node (PortKind)
    std::vector<std::uint32_t> senders;        ///< of each pair; an end may send to several
    std::vector<std::uint32_t> receivers;      ///< of each pair; an end may receive from several
    std::vector<std::uint64_t> lengths_bytes;  ///< ascending
    double expected_s = 0.0;                   ///< by the numbers that the file has
};

/// Returns what is measured of each kind of ports, in the order of the kinds:
/// 1. round trips of one pair, from 1 B to 4 MiB, doubling: latency, and bandwidth by length;
/// 2. messages in both directions of that pair, from 60 KiB up: half duplex shows there;
/// 3. short messages of that pair: gap, and at a node's port overheads of sender and receiver;
/// 4. streams of 64 KiB, 256 KiB and 1 MiB of one, two, ... pairs at once, until the pairs are out:
///    the maximum of the port. At a node's port the streams first leave one node, then reach one.
///    The one pair has streams of 60 KiB too, to be compared with both directions.
/// Then what is measured of each kind of switches, in their order: streams of 64 KiB and 1 MiB of
/// one pair alone, then of all pairs at once.
/// Last come kinds of ports inside nodes: round trips of lengths that quadruple, gap, and streams
/// of one, two, four, ... and all pairs. At the port of a single PU they go in both directions too.
/// Series grow with the number of kinds, not with the number of nodes. They depend on the numbers
/// of the file in `expected_s` only, so that measurements fit a file that was calibrated since.
/// Without a series of ports between nodes there is none of switches.
[[nodiscard]] std::vector<Series> plan_series(std::span<const PortKind> kinds,
                                              std::span<const SwitchKind> switches = {});

/// Returns the name that the measuring program has for an end of a series: that of a node, or
/// "NODE:CPU" for a CPU inside it.
/// @param inside_of  Series::inside_of
[[nodiscard]] std::string name_of_end(const Allocation& allocation, NodeId inside_of,
                                      std::uint32_t end);

/// Returns series as the measuring program gets them: ends stand there by their names.
[[nodiscard]] std::vector<NamedSeries> named(std::span<const Series> series,
                                             const Allocation& allocation);

}  // namespace commmap
