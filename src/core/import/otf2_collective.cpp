// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/otf2_collective.hpp"

namespace commmap {
namespace {

/// Returns one member's share of `all`. All members have the same share, or all but one (in place).
std::uint64_t share_of(std::uint64_t all, std::uint64_t num_members) {
    if (num_members == 0) return 0;
    const bool in_place = all % num_members != 0 && num_members > 1 && all % (num_members - 1) == 0;
    return all / (in_place ? num_members - 1 : num_members);
}

/// Returns the part of one member. The root sends `all` to the members, and each member gets its
/// `part`; or the other way round. In place, the root has no part of its own.
std::uint64_t rooted_part(const CollectiveSeen& seen, std::uint64_t part, std::uint64_t all) {
    if (!seen.is_root || part > 0) return part;
    return seen.num_members > 1 ? all / (seen.num_members - 1) : 0;
}

/// Returns the payload of a scan. Each member sends to the members behind and receives from those
/// before. Unless in place, the member also sends to itself.
std::uint64_t scanned(const CollectiveSeen& seen) {
    const std::uint64_t both = seen.sent_bytes + seen.received_bytes;
    const std::uint64_t others = seen.num_members - 1;
    if (seen.num_members < 2) return seen.sent_bytes;
    const bool in_place = seen.op == CollectiveOp::exscan || both % (others + 2) != 0 ||
                          both / (others + 2) * (seen.position + 1) != seen.received_bytes;
    return both / (in_place ? others : others + 2);
}

}  // namespace

std::uint64_t member_bytes(const CollectiveSeen& seen, CollectiveSizes sizes) {
    if (sizes == CollectiveSizes::buffer) {
        if (seen.op == CollectiveOp::barrier) return 0;
        return seen.op == CollectiveOp::scatter ? seen.received_bytes : seen.sent_bytes;
    }
    switch (seen.op) {
        case CollectiveOp::bcast:
        case CollectiveOp::scatter:
            return rooted_part(seen, seen.received_bytes, seen.sent_bytes);
        case CollectiveOp::reduce:
        case CollectiveOp::gather:
            return rooted_part(seen, seen.sent_bytes, seen.received_bytes);
        case CollectiveOp::allreduce:
        case CollectiveOp::allgather:
        case CollectiveOp::alltoall:
            return share_of(seen.sent_bytes, seen.num_members);
        case CollectiveOp::reduce_scatter:
            return seen.sent_bytes;
        case CollectiveOp::scan:
        case CollectiveOp::exscan:
            return scanned(seen);
        case CollectiveOp::barrier:
        case CollectiveOp::neighbor_allgather:
        case CollectiveOp::neighbor_alltoall:
        case CollectiveOp::count_:
            break;
    }
    return 0;
}

}  // namespace commmap
