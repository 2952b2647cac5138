#include "core/profile/profile.hpp"

#include <array>
#include <cassert>
#include <map>
#include <tuple>

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
    std::map<std::tuple<std::uint32_t, CollectiveOp, RankId, bool>, CollectiveRecord> sums;
    for (const Phase& phase : profile.phases)
        for (const CollectiveRecord& record : phase.collectives) {
            const auto [sum, is_new] = sums.try_emplace(
                {record.communicator, record.op, record.root, record.in_peer_traffic}, record);
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
    if (profile.phases.size() == 1) return profile.phases[0];  // which is most often so
    Phase whole;
    for (const Phase& phase : profile.phases) {
        whole.wall_s += phase.wall_s;
        whole.mpi_s += phase.mpi_s;
    }
    std::vector<TrafficCell> row;
    for (RankId rank = 0; rank < profile.num_ranks(); ++rank) {
        row.clear();
        for (const Phase& phase : profile.phases) add_row(row, phase.sent.sent_by(rank));
        whole.sent.add_row(row);
    }
    whole.collectives = whole_collectives(profile);
    return whole;
}

}  // namespace commmap
