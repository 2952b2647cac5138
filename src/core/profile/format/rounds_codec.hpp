#pragma once

#include <string>

#include "commmap/result.hpp"
#include "core/profile/format/byte_stream.hpp"
#include "core/profile/rounds.hpp"

namespace commmap {

void put_rounds(ByteWriter& out, const RankRounds& rounds);
/// Of damaged bytes `in` is not ok(), or check_rounds() refuses what comes back.
[[nodiscard]] RankRounds get_rounds(ByteReader& in);

void put_round_collectives(ByteWriter& out, const std::vector<RoundCollective>& collectives);
[[nodiscard]] std::vector<RoundCollective> get_round_collectives(ByteReader& in);

/// How many there are of what rounds refer to by number.
struct RoundLimits {
    std::size_t num_ranks = 0;
    std::size_t num_communicators = 0;
    std::size_t num_collectives = 0;
};
/// That numbers are in range, lists in order, and times possible. Errors: corrupt.
/// @param name  of the rank, for the message
[[nodiscard]] Status check_rounds(const std::string& name, const RankRounds& rounds,
                                  const RoundLimits& limits);
[[nodiscard]] Status check_round_collectives(const std::vector<RoundCollective>& collectives,
                                             const RoundLimits& limits);

}  // namespace commmap
