// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "commmap/ids.hpp"
#include "core/calibration/blocks.hpp"
#include "core/calibration/measuring_text.hpp"
#include "core/topology/allocation.hpp"

namespace commmap {

/// Says which part of the machine a series looks at.
enum class CheckOf : unsigned char {
    ports,    ///< streams between two nodes each: the ports of nodes, one direction each
    work,     ///< a node computes alone: its CPUs
    uplinks,  ///< streams that fill the uplinks of two sibling switches, one direction
    place     ///< streams between nodes of one switch while others fill the switch's uplink
};

/// A stream of a check. In a series of work both are the same node.
struct CheckPair {
    NodeId sender = 0;
    NodeId receiver = 0;
    std::uint32_t path = no_id;  ///< of series of uplinks: index into CheckPlan::paths
    bool load = false;           ///< of series of place: one of those that fill the uplinks
    friend bool operator==(const CheckPair&, const CheckPair&) = default;
};

/// Pairs that measure at once.
struct CheckSeries {
    CheckOf of = CheckOf::ports;
    std::vector<CheckPair> pairs;
};

/// The uplink of one switch, outward, and that of a sibling, inward. A stream uses both, so they
/// cannot be measured apart.
struct UplinkPath {
    std::uint32_t from = 0;  ///< switch, as index into Cluster::switches
    std::uint32_t to = 0;    ///< its sibling
    std::uint32_t num_pairs = 0;
    /// What the pairs get together by the file's numbers; infinity: it has none.
    double by_file_bytes_per_s = 0.0;
    friend bool operator==(const UplinkPath&, const UplinkPath&) = default;
};

/// The series of one run of the measuring program.
struct CheckPlan {
    std::vector<CheckSeries> series;
    std::vector<UplinkPath> paths;
    std::vector<std::string> not_tested;  ///< sentences for the user, without an end
};

/// All streams of a check have messages of this length.
inline constexpr std::uint64_t check_message_bytes = eager_message_bytes;
/// A block of work: four cycles each, 0.4 s at 4 GHz. A CPU that is throttled in periods of up to
/// 0.1 s shows it. A shorter block can begin with a full quota and end before it is used up: of
/// 0.13 s blocks on a CPU at 70 % the fastest looked sound.
inline constexpr std::uint64_t check_operations = 400'000'000;

/// Puts streams into as few series as their order allows. A node takes part in one stream of a
/// series, and a series has at most `at_once` streams.
/// Cost: O(pairs * series that are not full).
void add_in_rounds(CheckOf of, std::span<const CheckPair> pairs, std::uint32_t at_once,
                   std::vector<CheckSeries>& series);

/// Returns the series with the names of nodes, as the measuring program reads them.
[[nodiscard]] std::vector<NamedSeries> named(const CheckPlan& plan, const Allocation& allocation);

/// Returns how long a measurement takes, in seconds, without the start of the program.
[[nodiscard]] double expected_s(const CheckPlan& plan);

}  // namespace commmap
