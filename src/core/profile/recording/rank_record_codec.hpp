// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
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

/// Returns the most bytes of a rank's encoded record with waits, topologies and rounds, so that the
/// records of all ranks can be gathered.
[[nodiscard]] constexpr std::size_t most_record_bytes(std::size_t num_ranks) {
    return (std::size_t{100} << 20) / num_ranks;
}
/// Drops waits, then topologies, then rounds, until the encoded record takes at most `max_bytes`. A
/// profile without them is better than none. Member lists do not count: one rank has them for all.
/// Cost: encodes the record up to three times.
void limit_lists(RankRecord& record, std::size_t max_bytes);

}  // namespace commmap
