// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/inside/choices.hpp"
#include "core/inside/collective_times.hpp"

namespace commmap::inside {

/// How the ranks of a step stand on its nodes.
struct StepLayout {
    std::uint32_t nodes = 0;           ///< that have ranks
    std::uint32_t ranks_per_node = 0;  ///< 0: not the same on all nodes
    std::optional<RankOrder> order;    ///< none: neither block nor cyclic
};

/// @param node_of_rank  any number for each node; not empty
/// Returns the layout of a step. With one rank on each node its order is block.
[[nodiscard]] StepLayout layout_of(std::span<const std::uint32_t> node_of_rank);

/// A rule, and what was measured at its bytes.
struct ChosenRule {
    Rule rule;
    double gain = 1.0;        ///< native time divided by the algorithm's; 1 for native
    double least_gain = 1.0;  ///< lower end of the interval
};

/// Least gain from which another algorithm than the native one is chosen. Times of one job differ
/// from those of the next by more than their interval says: with 1.03, one of 47 calls was chosen
/// that was 0.62 times as fast in another job.
inline constexpr double least_gain_chosen = 1.10;
/// The same for calls that take less than short_call_us natively: there other influences count for
/// more. Such a gain must have been measured twice: in both orders.
inline constexpr double least_gain_of_short_calls = 1.15;
inline constexpr double short_call_us = 3000.0;

/// Chooses the algorithms for the communicators of a step that have all of its ranks.
///
/// At each measured number of bytes the fastest algorithm wins whose least gain is high enough. Its
/// rule holds up to the next measured number. Where native wins at the next one, the rule ends with
/// its own bytes. Calls below all measured bytes are native.
/// In a step that is neither block nor cyclic an algorithm must win against the native call of both
/// orders, and its gain is the lower one.
/// Where the rules would need more communicators than CommNeeds::most, algorithms of coll/tuned are
/// left out one after another: each time the one without which the others lose least.
/// @return  rules by operation and bytes; native ones only to end another rule
/// Errors: not_found when the layout was not measured; the message says which were.
[[nodiscard]] Result<std::vector<ChosenRule>> choose_rules(const CollectiveTimes& times,
                                                           const StepLayout& layout);

}  // namespace commmap::inside
