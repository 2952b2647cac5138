// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <cassert>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/expansion/rules.hpp"

namespace commmap {
namespace {

/// A rule holds for calls below both numbers. The first rule of an operation that holds decides.
struct Rule {
    CollectiveOp op;
    std::uint64_t members_below;
    std::uint64_t bytes_below;  ///< payload of one call, as CollectiveCall::payload_bytes
    ScheduleFunction algorithm;
};

constexpr std::uint64_t any = UINT64_MAX;

// The rules of Open MPI 4.1.4 for commutative operations.
// Source: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c.
// Differs from the source: algorithms that we do not have are replaced as
// docs/developer/collectives.md says, and neighbouring ranges that became equal are joined.
// clang-format off
constexpr Rule rules[] = {
    {CollectiveOp::barrier, 64, any, barrier_recursive_doubling},
    {CollectiveOp::barrier, any, any, barrier_dissemination},
    {CollectiveOp::bcast, 4, 32, bcast_chain},
    {CollectiveOp::bcast, 4, 256, bcast_binomial},
    {CollectiveOp::bcast, 4, 512, bcast_chain},
    {CollectiveOp::bcast, 4, 1024, bcast_binomial},
    {CollectiveOp::bcast, 4, 32768, bcast_linear},
    {CollectiveOp::bcast, 4, 131072, bcast_binomial},
    {CollectiveOp::bcast, 4, 262144, bcast_chain},
    {CollectiveOp::bcast, 4, 524288, bcast_linear},
    {CollectiveOp::bcast, 4, any, bcast_binomial},
    {CollectiveOp::bcast, 8, 8192, bcast_binomial},
    {CollectiveOp::bcast, 8, 1048576, bcast_linear},
    {CollectiveOp::bcast, 8, any, bcast_chain},
    {CollectiveOp::bcast, 16, 32768, bcast_binomial},
    {CollectiveOp::bcast, 16, any, bcast_linear},
    {CollectiveOp::bcast, 32, 1048576, bcast_binomial},
    {CollectiveOp::bcast, 32, any, bcast_scatter_allgather},
    {CollectiveOp::bcast, 128, any, bcast_binomial},
    {CollectiveOp::bcast, 256, 16384, bcast_binomial},
    {CollectiveOp::bcast, 256, 32768, bcast_linear},
    {CollectiveOp::bcast, 256, any, bcast_binomial},
    {CollectiveOp::bcast, 1024, any, bcast_binomial},
    {CollectiveOp::bcast, 2048, 524288, bcast_binomial},
    {CollectiveOp::bcast, 2048, any, bcast_scatter_allgather},
    {CollectiveOp::bcast, any, 262144, bcast_binomial},
    {CollectiveOp::bcast, any, any, bcast_scatter_allgather},
    {CollectiveOp::reduce, 4, 16, reduce_binomial},
    {CollectiveOp::reduce, 4, 32, reduce_chain},
    {CollectiveOp::reduce, 4, 262144, reduce_linear},
    {CollectiveOp::reduce, 4, any, reduce_chain},
    {CollectiveOp::reduce, 8, 4096, reduce_binomial},
    {CollectiveOp::reduce, 8, 65536, reduce_chain},
    {CollectiveOp::reduce, 8, 262144, reduce_binomial},
    {CollectiveOp::reduce, 8, 524288, reduce_linear},
    {CollectiveOp::reduce, 8, 1048576, reduce_binomial},
    {CollectiveOp::reduce, 8, any, reduce_linear},
    {CollectiveOp::reduce, any, any, reduce_binomial},
    {CollectiveOp::allreduce, 4, 8, allreduce_ring},
    {CollectiveOp::allreduce, 4, 4096, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 4, 8192, allreduce_ring},
    {CollectiveOp::allreduce, 4, 16384, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 4, 262144, allreduce_ring},
    {CollectiveOp::allreduce, 4, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 8, 16, allreduce_ring},
    {CollectiveOp::allreduce, 8, 8192, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 8, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 16, 8192, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 16, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 32, 64, allreduce_ring},
    {CollectiveOp::allreduce, 32, 4096, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 32, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 64, 128, allreduce_ring},
    {CollectiveOp::allreduce, 64, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 128, 262144, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 128, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 256, 131072, allreduce_nonoverlapping},
    {CollectiveOp::allreduce, 256, 262144, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 256, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 512, 4096, allreduce_nonoverlapping},
    {CollectiveOp::allreduce, 512, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 2048, 2048, allreduce_nonoverlapping},
    {CollectiveOp::allreduce, 2048, 16384, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 2048, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, 4096, 2048, allreduce_nonoverlapping},
    {CollectiveOp::allreduce, 4096, 4096, allreduce_ring},
    {CollectiveOp::allreduce, 4096, 16384, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, 4096, any, allreduce_rabenseifner},
    {CollectiveOp::allreduce, any, 2048, allreduce_nonoverlapping},
    {CollectiveOp::allreduce, any, 16384, allreduce_ring},
    {CollectiveOp::allreduce, any, 32768, allreduce_recursive_doubling},
    {CollectiveOp::allreduce, any, any, allreduce_rabenseifner},
    {CollectiveOp::gather, 4, 4, gather_linear},
    {CollectiveOp::gather, 4, 32768, gather_binomial},
    {CollectiveOp::gather, 4, 65536, gather_linear},
    {CollectiveOp::gather, 4, 131072, gather_binomial},
    {CollectiveOp::gather, 4, any, gather_linear},
    {CollectiveOp::gather, 8, 1024, gather_binomial},
    {CollectiveOp::gather, 8, 8192, gather_linear},
    {CollectiveOp::gather, 8, 32768, gather_binomial},
    {CollectiveOp::gather, 8, any, gather_linear},
    {CollectiveOp::gather, 256, any, gather_binomial},
    {CollectiveOp::gather, 512, 2048, gather_binomial},
    {CollectiveOp::gather, 512, 8192, gather_linear},
    {CollectiveOp::gather, 512, any, gather_binomial},
    {CollectiveOp::gather, any, any, gather_binomial},
    {CollectiveOp::scatter, 4, any, scatter_linear},
    {CollectiveOp::scatter, 8, 2048, scatter_binomial},
    {CollectiveOp::scatter, 8, 4096, scatter_linear},
    {CollectiveOp::scatter, 8, 8192, scatter_binomial},
    {CollectiveOp::scatter, 8, any, scatter_linear},
    {CollectiveOp::scatter, 32, 16384, scatter_binomial},
    {CollectiveOp::scatter, 32, any, scatter_linear},
    {CollectiveOp::scatter, 64, 512, scatter_binomial},
    {CollectiveOp::scatter, 64, 8192, scatter_linear},
    {CollectiveOp::scatter, 64, 16384, scatter_binomial},
    {CollectiveOp::scatter, 64, any, scatter_linear},
    {CollectiveOp::scatter, any, 512, scatter_binomial},
    {CollectiveOp::scatter, any, any, scatter_linear},
    {CollectiveOp::allgather, 32, any, allgather_recursive_doubling},
    {CollectiveOp::allgather, 64, 1024, allgather_recursive_doubling},
    {CollectiveOp::allgather, 64, any, allgather_ring},
    {CollectiveOp::allgather, 256, 512, allgather_recursive_doubling},
    {CollectiveOp::allgather, 256, any, allgather_ring},
    {CollectiveOp::allgather, 512, 32, allgather_recursive_doubling},
    {CollectiveOp::allgather, 512, 128, allgather_bruck},
    {CollectiveOp::allgather, 512, 1024, allgather_recursive_doubling},
    {CollectiveOp::allgather, 512, any, allgather_ring},
    {CollectiveOp::allgather, 1024, 64, allgather_recursive_doubling},
    {CollectiveOp::allgather, 1024, 256, allgather_bruck},
    {CollectiveOp::allgather, 1024, 2048, allgather_recursive_doubling},
    {CollectiveOp::allgather, 1024, any, allgather_ring},
    {CollectiveOp::allgather, 2048, 4, allgather_recursive_doubling},
    {CollectiveOp::allgather, 2048, 8, allgather_bruck},
    {CollectiveOp::allgather, 2048, 16, allgather_recursive_doubling},
    {CollectiveOp::allgather, 2048, 32, allgather_bruck},
    {CollectiveOp::allgather, 2048, 256, allgather_recursive_doubling},
    {CollectiveOp::allgather, 2048, 512, allgather_bruck},
    {CollectiveOp::allgather, 2048, 4096, allgather_recursive_doubling},
    {CollectiveOp::allgather, 2048, any, allgather_ring},
    {CollectiveOp::allgather, 4096, 32, allgather_bruck},
    {CollectiveOp::allgather, 4096, 128, allgather_recursive_doubling},
    {CollectiveOp::allgather, 4096, 512, allgather_bruck},
    {CollectiveOp::allgather, 4096, 4096, allgather_recursive_doubling},
    {CollectiveOp::allgather, 4096, any, allgather_ring},
    {CollectiveOp::allgather, any, 2, allgather_recursive_doubling},
    {CollectiveOp::allgather, any, 8, allgather_bruck},
    {CollectiveOp::allgather, any, 16, allgather_recursive_doubling},
    {CollectiveOp::allgather, any, 512, allgather_bruck},
    {CollectiveOp::allgather, any, 4096, allgather_recursive_doubling},
    {CollectiveOp::allgather, any, any, allgather_ring},
    {CollectiveOp::alltoall, 16, any, alltoall_pairwise},
    {CollectiveOp::alltoall, 32, 4, alltoall_pairwise},
    {CollectiveOp::alltoall, 32, 512, alltoall_bruck},
    {CollectiveOp::alltoall, 32, any, alltoall_pairwise},
    {CollectiveOp::alltoall, 64, 512, alltoall_bruck},
    {CollectiveOp::alltoall, 64, any, alltoall_pairwise},
    {CollectiveOp::alltoall, 512, 1024, alltoall_bruck},
    {CollectiveOp::alltoall, 512, any, alltoall_pairwise},
    {CollectiveOp::alltoall, 2048, 512, alltoall_bruck},
    {CollectiveOp::alltoall, 2048, any, alltoall_pairwise},
    {CollectiveOp::alltoall, 4096, 1024, alltoall_bruck},
    {CollectiveOp::alltoall, 4096, any, alltoall_pairwise},
    {CollectiveOp::alltoall, any, 2048, alltoall_bruck},
    {CollectiveOp::alltoall, any, any, alltoall_pairwise},
    {CollectiveOp::reduce_scatter, 4, 65536, reduce_scatter_ring},
    {CollectiveOp::reduce_scatter, 4, 131072, reduce_scatter_halving},
    {CollectiveOp::reduce_scatter, 4, any, reduce_scatter_ring},
    {CollectiveOp::reduce_scatter, 32, 262144, reduce_scatter_halving},
    {CollectiveOp::reduce_scatter, 32, any, reduce_scatter_ring},
    {CollectiveOp::reduce_scatter, 64, 524288, reduce_scatter_halving},
    {CollectiveOp::reduce_scatter, 64, any, reduce_scatter_ring},
    {CollectiveOp::reduce_scatter, any, any, reduce_scatter_halving},
    {CollectiveOp::scan, any, any, scan_linear},
    {CollectiveOp::exscan, any, any, scan_linear},
    {CollectiveOp::neighbor_allgather, any, any, neighbor_recorded},
    {CollectiveOp::neighbor_alltoall, any, any, neighbor_recorded},
};
// clang-format on

}  // namespace

ScheduleFunction open_mpi_4_schedule(CollectiveOp op, const CollectiveCall& call) {
    for (const Rule& rule : rules) {
        if (rule.op != op) continue;
        if (rule.members_below != any && call.num_members >= rule.members_below) continue;
        if (rule.bytes_below != any && call.payload_bytes >= rule.bytes_below) continue;
        // Open MPI does not use the ring for fewer elements than members. The profile does not have
        // the size of an element, so 8 bytes are assumed.
        if (rule.algorithm == allreduce_ring && call.payload_bytes / 8 < call.num_members) {
            return allreduce_recursive_doubling;
        }
        return rule.algorithm;
    }
    assert(false && "an operation without a last rule");
    return neighbor_recorded;
}

}  // namespace commmap
