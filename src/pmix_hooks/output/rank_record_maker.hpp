// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/result.hpp"
#include "core/profile/recording/rank_record.hpp"
#include "pmix_hooks/output/record_memory.hpp"

namespace commmap::hooks {

/// Makes the record of a rank, until MPI_Finalize or, before that, until now. The application's id
/// is left out.
/// @param head  in this process's memory or in `view`'s mapping
/// Errors:
/// - corrupt, when an address is outside of the memory or a list has no end; never for this
///   process's own memory;
/// - throws std::bad_alloc.
[[nodiscard]] Result<RankRecord> make_rank_record(const MemoryView& view, const RecordHead& head);

}  // namespace commmap::hooks
