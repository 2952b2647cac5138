// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/profile/format/profile_v3_generated.h"
#include "core/profile/rounds_checks.hpp"

namespace commmap {

// Writes and reads the sections of a profile file that hold rounds (profile_v3.fbs).

void finish_round_collectives(flatbuffers::FlatBufferBuilder& builder,
                              std::span<const RoundCollective> collectives);
/// @param rounds  of consecutive ranks
/// @param first   the first of these ranks
void finish_rounds(flatbuffers::FlatBufferBuilder& builder, std::span<const RankRounds> rounds,
                   RankId first);
/// Returns an upper bound of the bytes that a rank's rounds take in a section.
[[nodiscard]] std::size_t most_bytes_of(const RankRounds& rounds);

/// Reads the collectives of rounds; the caller then checks them with check_round_collectives().
/// Errors: corrupt.
[[nodiscard]] Status add_round_collectives(const format3::RoundCollectives& in,
                                           std::vector<RoundCollective>& collectives);
/// Reads the rounds of the next ranks, and adds them to `ranks`. Errors: corrupt.
/// @param raw_bytes  of the section: all lists together may not be longer, or they overlap in a
///                   made-up file
[[nodiscard]] Status add_rounds(const format3::Rounds& in, std::uint32_t num_ranks,
                                std::uint64_t raw_bytes, const RoundLimits& limits,
                                std::vector<RankRounds>& ranks);

}  // namespace commmap
