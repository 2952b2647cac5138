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
    struct Sum {
        std::uint64_t calls = 0;
        double bytes = 0.0;  // exact up to 2^53; of a mean no more is asked
    };
    std::map<std::tuple<std::uint32_t, CollectiveOp, RankId, bool>, Sum> sums;
    for (const Phase& phase : profile.phases)
        for (const CollectiveRecord& record : phase.collectives) {
            Sum& sum = sums[{record.communicator, record.op, record.root, record.in_peer_traffic}];
            sum.calls += record.calls;
            sum.bytes +=
                static_cast<double>(record.calls) * static_cast<double>(record.bytes_per_call);
        }
    for (const auto& [what, sum] : sums) {
        const auto& [communicator, op, root, in_peer_traffic] = what;
        const double mean = sum.calls == 0 ? 0.0 : sum.bytes / static_cast<double>(sum.calls) + 0.5;
        whole.collectives.push_back(
            {.op = op,
             .communicator = communicator,
             .root = root,
             .calls = sum.calls,
             .bytes_per_call = mean < 0x1p64 ? static_cast<std::uint64_t>(mean) : UINT64_MAX,
             .in_peer_traffic = in_peer_traffic});
    }
    return whole;
}

}  // namespace commmap
