#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/profile/format/profile_v3_generated.h"
#include "core/profile/format/rounds_codec.hpp"

namespace commmap {

// The rounds in a profile file: sections of profile_v3.fbs.

void finish_round_collectives(flatbuffers::FlatBufferBuilder& builder,
                              std::span<const RoundCollective> collectives);
/// @param rounds  of ranks that stand together
/// @param first   the first of these
void finish_rounds(flatbuffers::FlatBufferBuilder& builder, std::span<const RankRounds> rounds,
                   RankId first);
/// More than a rank's rounds take in a section.
[[nodiscard]] std::size_t most_bytes_of(const RankRounds& rounds);

/// Errors of both: corrupt. What is read is for check_round_collectives().
[[nodiscard]] Status add_round_collectives(const format3::RoundCollectives& in,
                                           std::vector<RoundCollective>& collectives);
/// Adds the rounds of the next ranks. @param raw_bytes  of the section: its lists are no longer
/// together, or they overlap in a made-up file
[[nodiscard]] Status add_rounds(const format3::Rounds& in, std::uint32_t num_ranks,
                                std::uint64_t raw_bytes, const RoundLimits& limits,
                                std::vector<RankRounds>& ranks);

}  // namespace commmap
