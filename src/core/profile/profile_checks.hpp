// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/profile.hpp"

namespace commmap {

// Checks what must hold for every profile, in any file format: ranks, nodes, communicators and
// roots are in range; peers and buckets are in order; members are listed once; times are finite.
// Errors: corrupt.

[[nodiscard]] Error corrupt(std::string what);

/// Tells whether a time is finite and not negative.
[[nodiscard]] bool is_time(double seconds);

/// Tells whether keys increase from value to value, so that the values are in order and distinct.
template <class Value, class Key>
[[nodiscard]] bool is_ascending(const std::vector<Value>& values, Key&& key) {
    return std::adjacent_find(values.begin(), values.end(), [&](const Value& a, const Value& b) {
               return std::invoke(key, b) <= std::invoke(key, a);
           }) == values.end();
}

/// Tells whether cells are in order, have known size buckets, and have messages. Peers are not
/// checked.
[[nodiscard]] bool is_row(const std::vector<TrafficCell>& cells);

/// @param name  of the rank, or the phase, for the message
[[nodiscard]] Status check_times(const std::string& name, const Phase& phase);
[[nodiscard]] Status check_rank_times(const std::string& name, std::span<const PhaseTime> times);
/// @param head  with nodes, localities and programs
[[nodiscard]] Status check_rank(const std::string& name, const ProfileRank& rank,
                                const Profile& head);
[[nodiscard]] Status check_calls(const std::string& name, const ProfileRank& rank,
                                 std::size_t num_names);
[[nodiscard]] Status check_waits(const std::string& name, std::span<const PeerWait> waits,
                                 std::size_t num_ranks);
[[nodiscard]] bool are_open_sends(const std::vector<OpenSends>& open_sends);
[[nodiscard]] Status check_row(RankId rank, std::span<const TrafficCell> row,
                               std::size_t num_ranks);
/// Cost: O(ranks + members).
[[nodiscard]] Status check_communicators(const std::vector<std::vector<RankId>>& communicators,
                                         std::size_t num_ranks);
/// @param communicators  checked
/// Cost: O(ranks + members + records log records), whatever the records are.
[[nodiscard]] Status check_collectives(const std::vector<CollectiveRecord>& collectives,
                                       const std::vector<std::vector<RankId>>& communicators,
                                       std::size_t num_ranks);
[[nodiscard]] Status check_missing(const std::vector<RankId>& missing, bool complete,
                                   std::size_t num_ranks);

}  // namespace commmap
