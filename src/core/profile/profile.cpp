// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/profile.hpp"

#include <array>
#include <cassert>
#include <map>

namespace commmap {

const char* collective_name(CollectiveOp op) {
    constexpr std::array names = {
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "gather",
        "scatter",
        "allgather",
        "alltoall",
        "reduce_scatter",
        "scan",
        "exscan",
        "neighbor_allgather",
        "neighbor_alltoall",
    };
    static_assert(names.size() == static_cast<std::size_t>(CollectiveOp::count_));
    assert(op < CollectiveOp::count_ && "not a collective");
    return names[static_cast<std::size_t>(op)];
}

std::vector<CollectiveRecord> whole_collectives(const Profile& profile) {
    if (profile.phases.size() == 1) return profile.phases[0].collectives;
    std::map<CollectiveRecord::Key, CollectiveRecord> sums;
    for (const Phase& phase : profile.phases)
        for (const CollectiveRecord& record : phase.collectives) {
            const auto [sum, is_new] = sums.try_emplace(record.key(), record);
            if (is_new) continue;
            sum->second.calls += record.calls;
            sum->second.member_calls += record.member_calls;
            sum->second.member_bytes += record.member_bytes;
        }
    std::vector<CollectiveRecord> collectives;
    collectives.reserve(sums.size());
    for (const auto& [what, sum] : sums) collectives.push_back(sum);
    return collectives;
}

Phase whole_run(const Profile& profile) {
    if (profile.phases.size() == 1) return profile.phases[0];  // the most frequent case
    Phase whole;
    std::vector<const TrafficMatrix*> sent;
    for (const Phase& phase : profile.phases) {
        whole.wall_s += phase.wall_s;
        whole.mpi_s += phase.mpi_s;
        sent.push_back(&phase.sent);
    }
    whole.sent = sum_of(sent, profile.num_ranks());
    whole.collectives = whole_collectives(profile);
    return whole;
}

}  // namespace commmap
