// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>

#include "core/profile/recording/rank_record.hpp"
#include "core/profile/recording/rank_record_generated.h"

namespace commmap {

/// Reads a record from a buffer; nullopt where lists do not fit together or are out of order, or
/// times are impossible. decode_rank_record() calls this function.
/// @param stored  in a buffer that the verifier has passed
/// @param bytes   the length of that buffer: its lists together have no more
[[nodiscard]] std::optional<RankRecord> read_rank_record(const wire::RankRecord& stored,
                                                         std::size_t bytes);

}  // namespace commmap
