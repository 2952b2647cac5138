// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>

#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// Objects to which the acts of rounds refer, by their numbers in the recorded process.
struct RoundNumbers {
    /// CollectiveCount::number
    std::map<std::uint32_t, RankRecord::Collective> collectives;
    /// RankGroup::number -> index into RankRecord::communicators
    std::map<std::uint32_t, std::uint32_t> communicators;
};

/// Fills the record's rounds from the log of rounds, which may be another process's and may hold
/// anything.
/// Of a damaged log the record gets no rounds, and its rounds are marked unclear.
/// @param ticks_per_s  0 when no time has passed
void read_rounds(const MemoryView& view, const RoundLog& log, const RoundNumbers& numbers,
                 double ticks_per_s, std::uint32_t num_ranks, RankRecord& record);

}  // namespace commmap::hooks
