// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <bit>
#include <cstdint>

#include "core/collectives/algorithms/algorithms.hpp"
#include "core/collectives/expansion/rules.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t kib = 1024;

/// Tells whether a call has fewer elements than members, whose number is rounded down to a power of
/// two. The profile does not have the size of an element, so 8 bytes are assumed.
bool has_few_elements(const CollectiveCall& call) {
    return call.payload_bytes / 8 < std::bit_floor(call.num_members);
}

ScheduleFunction bcast(const CollectiveCall& call, bool power_of_two) {
    if (call.num_members < 8 || call.payload_bytes <= 12 * kib) return bcast_binomial;
    return power_of_two && call.payload_bytes <= 512 * kib ? bcast_scatter_allgather
                                                           : bcast_scatter_ring;
}

ScheduleFunction allreduce(const CollectiveCall& call) {
    return call.payload_bytes <= 8 || has_few_elements(call) ? allreduce_recursive_doubling
                                                             : allreduce_rabenseifner;
}

ScheduleFunction allgather(const CollectiveCall& call, bool power_of_two) {
    // Divides the limit, because the product may not fit into 64 bits.
    const auto all_below = [&](std::uint64_t bytes) {
        return call.payload_bytes < (bytes + call.num_members - 1) / call.num_members;
    };
    if (power_of_two) return all_below(512 * kib) ? allgather_recursive_doubling : allgather_ring;
    return all_below(80 * kib) ? allgather_bruck : allgather_ring;
}

}  // namespace

// The rules of MPICH 4.0.2 for commutative built-in operations.
// Source: the JSON of algorithms that is compiled into libmpich
// (maint/tuning/coll/mpir/generic.json).
ScheduleFunction mpich_4_schedule(CollectiveOp op, const CollectiveCall& call) {
    const bool power_of_two = std::has_single_bit(call.num_members);
    switch (op) {
        case CollectiveOp::barrier:
            return barrier_dissemination;
        case CollectiveOp::bcast:
            return bcast(call, power_of_two);
        case CollectiveOp::reduce:
            return call.payload_bytes <= 2 * kib || has_few_elements(call) ? reduce_binomial
                                                                           : reduce_scatter_gather;
        case CollectiveOp::allreduce:
            return allreduce(call);
        case CollectiveOp::gather:
            return gather_binomial;
        case CollectiveOp::scatter:
            return scatter_binomial;
        case CollectiveOp::allgather:
            return allgather(call, power_of_two);
        case CollectiveOp::alltoall:
            // The JSON says "below 8 members", but csel.c counts 8 as below 8 here.
            return call.num_members > 8 && call.payload_bytes <= 256 ? alltoall_bruck
                                                                     : alltoall_pairwise;
        case CollectiveOp::reduce_scatter:
            return call.payload_bytes < 512 * kib ? reduce_scatter_halving
                                                  : reduce_scatter_pairwise;
        case CollectiveOp::scan:
        case CollectiveOp::exscan:
            return scan_recursive_doubling;
        case CollectiveOp::neighbor_allgather:
        case CollectiveOp::neighbor_alltoall:
        case CollectiveOp::count_:
            break;
    }
    return neighbor_recorded;
}

// Says which collectives the ch4 device of MPICH 4.0.2 composes of two levels, for commutative
// operations.
// Source: maint/tuning/coll/ch4/generic.json, src/mpid/ch4/src/ch4_coll_impl.h.
bool mpich_4_has_two_levels(CollectiveOp op, const CollectiveCall& call) {
    if (op == CollectiveOp::bcast)
        return call.num_members < 8 || call.payload_bytes < 12 * kib ||
               (std::has_single_bit(call.num_members) && call.payload_bytes < 512 * kib);
    return op == CollectiveOp::barrier || op == CollectiveOp::reduce ||
           op == CollectiveOp::allreduce;
}

}  // namespace commmap
