// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"
#include "core/profile/format/byte_stream.hpp"
#include "core/profile/rounds.hpp"

namespace commmap {

void put_rounds(ByteWriter& out, const RankRounds& rounds);
/// Reads rounds. For damaged bytes, either in.ok() is false afterwards or check_rounds() refuses
/// the result.
[[nodiscard]] RankRounds get_rounds(ByteReader& in);

void put_round_collectives(ByteWriter& out, const std::vector<RoundCollective>& collectives);
[[nodiscard]] std::vector<RoundCollective> get_round_collectives(ByteReader& in);

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
