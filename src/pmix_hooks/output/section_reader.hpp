#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// What a rank counted in all of the run.
struct SectionTotals {
    RankRecord::Section counted;
    /// By CollectiveCount::number.
    std::map<std::uint32_t, RankRecord::Collective> collective_of_number;
    std::uint64_t wall_ticks = 0;
    std::uint64_t mpi_ticks = 0;
    double ticks_per_s = 0.0;  ///< 0: no time has passed
    [[nodiscard]] double seconds(std::uint64_t ticks) const {
        return ticks_per_s > 0.0 ? static_cast<double>(ticks) / ticks_per_s : 0.0;
    }
};

/// Fills the record's sections from the log of phases. Their sum is what was counted in all of the
/// run: what is in no entry is the open section's. Where the log is damaged, or says more than was
/// counted, there is one section, and phases_lost.
void add_sections(const MemoryView& view, const RecordHead& head, SectionTotals totals,
                  RankRecord& record);

}  // namespace commmap::hooks
