// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// Sums of a rank's counters over the whole run.
struct SectionTotals {
    RankRecord::Section counted;
    /// Collectives by CollectiveCount::number.
    std::map<std::uint32_t, RankRecord::Collective> collective_of_number;
    std::uint64_t wall_ticks = 0;
    std::uint64_t mpi_ticks = 0;
    double ticks_per_s = 0.0;  ///< 0 when no time has passed
    [[nodiscard]] double seconds(std::uint64_t ticks) const {
        return ticks_per_s > 0.0 ? static_cast<double>(ticks) / ticks_per_s : 0.0;
    }
};

/// Fills the record's sections from the log of phases.
/// The sections add up to `totals`: counts that are in no entry of the log go to the section that
/// was open at the end.
/// If the log is damaged or claims more than was counted, the record gets one section, and
/// phases_lost is set.
void add_sections(const MemoryView& view, const RecordHead& head, SectionTotals totals,
                  RankRecord& record);

}  // namespace commmap::hooks
