#pragma once

#include "commmap/result.hpp"
#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// What a rank recorded until now or until MPI_Finalize, but for its application's id. Throws
/// std::bad_alloc. Errors: corrupt, when an address is outside of the memory or a list has no end;
/// never of this process's own memory.
/// @param head  in this process's memory or in `view`'s mapping
[[nodiscard]] Result<RankRecord> make_rank_record(const MemoryView& view, const RecordHead& head);

}  // namespace commmap::hooks
