// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/profile/recording/rank_record.hpp"

namespace commmap {

/// Encodes a record for a process of the same build, as a buffer of rank_record.fbs.
[[nodiscard]] std::string encode_rank_record(const RankRecord& record);
/// Decodes a record. The caller then checks its ranks with check_ranks(). The memory that decoding
/// takes is bounded by the bytes.
/// Errors: corrupt for bytes that are cut short or damaged, lists that do not fit together or are
/// out of order, or impossible times.
[[nodiscard]] Result<RankRecord> decode_rank_record(std::string_view bytes);

}  // namespace commmap
