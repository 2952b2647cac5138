// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/profile/rounds.hpp"

namespace commmap {

/// Upper bounds of the numbers by which rounds refer to ranks, communicators and collectives.
struct RoundLimits {
    std::size_t num_ranks = 0;
    std::size_t num_communicators = 0;
    std::size_t num_collectives = 0;
};
/// Checks that numbers are in range, lists are in order, and times are possible. Errors: corrupt.
/// @param name  of the rank, for the message
[[nodiscard]] Status check_rounds(const std::string& name, const RankRounds& rounds,
                                  const RoundLimits& limits);
[[nodiscard]] Status check_round_collectives(const std::vector<RoundCollective>& collectives,
                                             const RoundLimits& limits);

}  // namespace commmap
