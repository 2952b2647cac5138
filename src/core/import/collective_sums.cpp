// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/collective_sums.hpp"

#include <algorithm>

namespace commmap {

Status CollectiveSums::add(const Key& key, RankId rank, std::uint64_t calls, std::uint64_t bytes) {
    Sum& sum = sums_[key];
    if (sum.members.empty() || sum.members.back() != rank) {
        sum.members.push_back(rank);
        sum.last_calls = 0;
    }
    if (__builtin_add_overflow(sum.member_calls, calls, &sum.member_calls) ||
        __builtin_add_overflow(sum.member_bytes, bytes, &sum.member_bytes))
        return Error{Errc::out_of_range, std::string("all calls of ") + collective_name(key.op) +
                                             " are more than 64 bits can count"};
    sum.last_calls += calls;  // at most member_calls: no overflow
    sum.calls = std::max(sum.calls, sum.last_calls);
    return Ok{};
}

CollectiveRecord record_of(const CollectiveSums::Key& key, const CollectiveSums::Sum& sum,
                           std::uint32_t communicator) {
    CollectiveRecord record{.op = key.op,
                            .communicator = communicator,
                            .root = key.root,
                            .calls = sum.calls,
                            .member_calls = sum.member_calls,
                            .member_bytes = sum.member_bytes,
                            .in_peer_traffic = key.in_peer_traffic};
    record.bucket = record.bucket_of_mean();
    return record;
}

}  // namespace commmap
