// Collectives, blocking and nonblocking. A call is counted once it has been taken; its payload
// comes from this rank's own arguments, never from those that are not significant here.
#include "pmix_hooks/call.hpp"
#include "pmix_hooks/collective_call.hpp"
#include "pmix_hooks/type_size.hpp"

using namespace commmap::hooks;
using commmap::CollectiveOp;

#define COMMMAP_LIST(...) __VA_ARGS__

/// Defines MPI_<name> and MPI_<nonblocking>, which has a request as last parameter. Lists in
/// parentheses.
#define COMMMAP_COLLECTIVE(name, nonblocking, parameters, arguments, count)                  \
    extern "C" int MPI_##name(COMMMAP_LIST parameters) {                                     \
        return recorded([&] { return PMPI(name)(COMMMAP_LIST arguments); }, [&] { count; }); \
    }                                                                                        \
    extern "C" int MPI_##nonblocking(COMMMAP_LIST parameters, MPI_Request* request) {        \
        return recorded([&] { return PMPI(nonblocking)(COMMMAP_LIST arguments, request); },  \
                        [&] { count; });                                                     \
    }

namespace {

bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

std::uint64_t sum_of(const int counts[], MPI_Comm comm) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < group_size(comm); ++i)
        sum += static_cast<std::uint64_t>(counts[i]);
    return sum;
}

/// What the send arguments say, or in place of them the receive arguments.
std::uint64_t contributed(const void* send, int send_count, MPI_Datatype send_type,
                          int receive_count, MPI_Datatype receive_type) {
    return in_place(send) ? data_bytes(receive_count, receive_type)
                          : data_bytes(send_count, send_type);
}

/// The same with the receive counts of all ranks.
std::uint64_t contributed_v(const void* send, int send_count, MPI_Datatype send_type,
                            const int receive_counts[], MPI_Datatype receive_type, MPI_Comm comm) {
    return in_place(send) ? data_bytes(receive_counts[own_rank(comm)], receive_type)
                          : data_bytes(send_count, send_type);
}

/// On the root group's side of an intercommunicator nothing is contributed, or nothing received.
bool on_root_side(int root) { return root == MPI_ROOT || root == MPI_PROC_NULL; }

}  // namespace

COMMMAP_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm),
                   count_rootless(comm, CollectiveOp::barrier, 0))

COMMMAP_COLLECTIVE(Bcast, Ibcast,
                   (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                   (buffer, count, type, root, comm),
                   count_from_root(comm, CollectiveOp::bcast, root, data_bytes(count, type)))

COMMMAP_COLLECTIVE(Reduce, Ireduce,
                   (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                    int root, MPI_Comm comm),
                   (send, receive, count, type, op, root, comm),
                   count_to_root(comm, CollectiveOp::reduce, root, data_bytes(count, type)))

COMMMAP_COLLECTIVE(Allreduce, Iallreduce,
                   (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm),
                   (send, receive, count, type, op, comm),
                   count_rootless(comm, CollectiveOp::allreduce, data_bytes(count, type)))

COMMMAP_COLLECTIVE(Scan, Iscan,
                   (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm),
                   (send, receive, count, type, op, comm),
                   count_rootless(comm, CollectiveOp::scan, data_bytes(count, type)))

COMMMAP_COLLECTIVE(Exscan, Iexscan,
                   (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm),
                   (send, receive, count, type, op, comm),
                   count_rootless(comm, CollectiveOp::exscan, data_bytes(count, type)))

COMMMAP_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                   (const void* send, void* receive, const int counts[], MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm),
                   (send, receive, counts, type, op, comm),
                   count_rootless(comm, CollectiveOp::reduce_scatter,
                                  data_bytes(sum_of(counts, comm), type)))

COMMMAP_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
                   (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm),
                   (send, receive, count, type, op, comm),
                   count_rootless(comm, CollectiveOp::reduce_scatter,
                                  data_bytes(count, type) * group_size(comm)))

COMMMAP_COLLECTIVE(Gather, Igather,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_count, receive_type, root, comm),
                   count_to_root(comm, CollectiveOp::gather, root,
                                 on_root_side(root) ? 0
                                                    : contributed(send, send_count, send_type,
                                                                  receive_count, receive_type)))

COMMMAP_COLLECTIVE(Gatherv, Igatherv,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    const int receive_counts[], const int offsets[], MPI_Datatype receive_type,
                    int root, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_counts, offsets, receive_type,
                    root, comm),
                   count_gatherv(comm, root,
                                 on_root_side(root)
                                     ? 0
                                     : contributed_v(send, send_count, send_type, receive_counts,
                                                     receive_type, comm)))

// In place is the receive side here, and only at the root.
COMMMAP_COLLECTIVE(Scatter, Iscatter,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_count, receive_type, root, comm),
                   count_from_root(comm, CollectiveOp::scatter, root,
                                   in_place(receive) || root == MPI_ROOT
                                       ? data_bytes(send_count, send_type)
                                   : root == MPI_PROC_NULL
                                       ? 0
                                       : data_bytes(receive_count, receive_type)))

COMMMAP_COLLECTIVE(
    Scatterv, Iscatterv,
    (const void* send, const int send_counts[], const int offsets[], MPI_Datatype send_type,
     void* receive, int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm),
    (send, send_counts, offsets, send_type, receive, receive_count, receive_type, root, comm),
    count_scatterv(comm, root,
                   on_root_side(root)  ? 0
                   : in_place(receive) ? data_bytes(send_counts[own_rank(comm)], send_type)
                                       : data_bytes(receive_count, receive_type),
                   {send_counts, send_type, nullptr}))

COMMMAP_COLLECTIVE(Allgather, Iallgather,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_count, receive_type, comm),
                   count_rootless(comm, CollectiveOp::allgather,
                                  contributed(send, send_count, send_type, receive_count,
                                              receive_type)))

// Every rank gets every contribution whatever its length: as allgather, with the mean length.
COMMMAP_COLLECTIVE(
    Allgatherv, Iallgatherv,
    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
     const int receive_counts[], const int offsets[], MPI_Datatype receive_type, MPI_Comm comm),
    (send, send_count, send_type, receive, receive_counts, offsets, receive_type, comm),
    count_rootless(comm, CollectiveOp::allgather,
                   contributed_v(send, send_count, send_type, receive_counts, receive_type, comm)))

COMMMAP_COLLECTIVE(Alltoall, Ialltoall,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_count, receive_type, comm),
                   count_rootless(comm, CollectiveOp::alltoall,
                                  contributed(send, send_count, send_type, receive_count,
                                              receive_type)))

COMMMAP_COLLECTIVE(Alltoallv, Ialltoallv,
                   (const void* send, const int send_counts[], const int send_offsets[],
                    MPI_Datatype send_type, void* receive, const int receive_counts[],
                    const int receive_offsets[], MPI_Datatype receive_type, MPI_Comm comm),
                   (send, send_counts, send_offsets, send_type, receive, receive_counts,
                    receive_offsets, receive_type, comm),
                   count_alltoallv(comm, in_place(send)
                                             ? Counts{receive_counts, receive_type, nullptr}
                                             : Counts{send_counts, send_type, nullptr}))

COMMMAP_COLLECTIVE(Alltoallw, Ialltoallw,
                   (const void* send, const int send_counts[], const int send_offsets[],
                    const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                    const int receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm),
                   (send, send_counts, send_offsets, send_types, receive, receive_counts,
                    receive_offsets, receive_types, comm),
                   count_alltoallv(comm, in_place(send)
                                             ? Counts{receive_counts, nullptr, receive_types}
                                             : Counts{send_counts, nullptr, send_types}))

COMMMAP_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_count, receive_type, comm),
                   count_neighbours(comm, CollectiveOp::neighbor_allgather,
                                    data_bytes(send_count, send_type)))

COMMMAP_COLLECTIVE(
    Neighbor_allgatherv, Ineighbor_allgatherv,
    (const void* send, int send_count, MPI_Datatype send_type, void* receive,
     const int receive_counts[], const int offsets[], MPI_Datatype receive_type, MPI_Comm comm),
    (send, send_count, send_type, receive, receive_counts, offsets, receive_type, comm),
    count_neighbours(comm, CollectiveOp::neighbor_allgather, data_bytes(send_count, send_type)))

COMMMAP_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
                   (const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, MPI_Comm comm),
                   (send, send_count, send_type, receive, receive_count, receive_type, comm),
                   count_neighbours(comm, CollectiveOp::neighbor_alltoall,
                                    data_bytes(send_count, send_type)))

COMMMAP_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
                   (const void* send, const int send_counts[], const int send_offsets[],
                    MPI_Datatype send_type, void* receive, const int receive_counts[],
                    const int receive_offsets[], MPI_Datatype receive_type, MPI_Comm comm),
                   (send, send_counts, send_offsets, send_type, receive, receive_counts,
                    receive_offsets, receive_type, comm),
                   count_neighbours(comm, CollectiveOp::neighbor_alltoall,
                                    Counts{send_counts, send_type, nullptr}))

COMMMAP_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
                   (const void* send, const int send_counts[], const MPI_Aint send_offsets[],
                    const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                    const MPI_Aint receive_offsets[], const MPI_Datatype receive_types[],
                    MPI_Comm comm),
                   (send, send_counts, send_offsets, send_types, receive, receive_counts,
                    receive_offsets, receive_types, comm),
                   count_neighbours(comm, CollectiveOp::neighbor_alltoall,
                                    Counts{send_counts, nullptr, send_types}))
