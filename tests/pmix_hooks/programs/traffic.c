/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Messages whose sums are known: recorder_*_test.cpp work them out. usage: traffic SCENARIO
   [for everybody: how many sizes, 11 at most [N: only every Nth rank sends]] */
#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, size;
static char out[1 << 20], in[1 << 20];

/* Messages of 1, 4, 16, ... bytes to each other rank, from each `every`th. */
static void everybody(int num_sizes, int every) {
    for (int step = 1; step < size; ++step) {
        const int left = (rank + size - step) % size;
        const int to = rank % every == every - 1 ? (rank + step) % size : MPI_PROC_NULL;
        const int from = left % every == every - 1 ? left : MPI_PROC_NULL;
        for (int bytes = 1; bytes < 1 << 2 * num_sizes; bytes *= 4)
            MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    }
}

/* Sloppy: a receive of anything from anybody is still there at MPI_Finalize, and must stay as it
 * is. */
static int posted = 7;
static void leave_a_receive(void) {
    static MPI_Request request;
    everybody(11, 1);
    MPI_Irecv(&posted, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
}

/* Rank 1 makes more persistent requests than the recorder's memory holds, and starts none. */
static void many_requests(void) {
    enum { num_requests = 1200000 };
    if (rank != 1) return;
    MPI_Request* const made = malloc(num_requests * sizeof *made);
    for (int i = 0; i < num_requests; ++i)
        MPI_Send_init(out, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &made[i]);
    for (int i = 0; i < num_requests; ++i) MPI_Request_free(&made[i]);
    free(made);
}

/* One of each kind of send to the right neighbour, from the left one. */
static void sends(void) {
    enum { num_single = 8, num_started = 4 };
    const int single[num_single] = {0, 16, 17, 64, 65, 256, 257, 1024};
    const int started[num_started] = {10, 100, 20, 30};
    const int times[num_started] = {3, 3, 1, 1};
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    static char pool[1 << 16];
    MPI_Request receive[64], request;
    int n = 0, size_left;
    char* at = in;
    MPI_Buffer_attach(pool, sizeof pool);
    for (int i = 0; i < num_single; ++i, at += 2048)
        MPI_Irecv(at, 2048, MPI_BYTE, left, i, MPI_COMM_WORLD, &receive[n++]);
    for (int i = 0; i < num_started; ++i)
        for (int t = 0; t < times[i]; ++t, at += 128)
            MPI_Irecv(at, 128, MPI_BYTE, left, 10 + i, MPI_COMM_WORLD, &receive[n++]);
    MPI_Irecv(at, 48, MPI_BYTE, left, 20, MPI_COMM_WORLD, &receive[n++]);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Send(out, single[0], MPI_BYTE, right, 0, MPI_COMM_WORLD);
    MPI_Bsend(out, single[1], MPI_BYTE, right, 1, MPI_COMM_WORLD);
    MPI_Ssend(out, single[2], MPI_BYTE, right, 2, MPI_COMM_WORLD);
    MPI_Rsend(out, single[3], MPI_BYTE, right, 3, MPI_COMM_WORLD);
    MPI_Isend(out, single[4], MPI_BYTE, right, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibsend(out, single[5], MPI_BYTE, right, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Issend(out, single[6], MPI_BYTE, right, 6, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irsend(out, single[7], MPI_BYTE, right, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Request persistent[num_started + 1];
    MPI_Send_init(out, started[0], MPI_BYTE, right, 10, MPI_COMM_WORLD, &persistent[0]);
    MPI_Ssend_init(out, started[1], MPI_BYTE, right, 11, MPI_COMM_WORLD, &persistent[1]);
    MPI_Bsend_init(out, started[2], MPI_BYTE, right, 12, MPI_COMM_WORLD, &persistent[2]);
    MPI_Rsend_init(out, started[3], MPI_BYTE, right, 13, MPI_COMM_WORLD, &persistent[3]);
    MPI_Send_init(out, 5, MPI_BYTE, MPI_PROC_NULL, 13, MPI_COMM_WORLD, &persistent[4]);
    for (int t = 0; t < 3; ++t) {
        MPI_Start(&persistent[0]);
        MPI_Wait(&persistent[0], MPI_STATUS_IGNORE);
        MPI_Startall(1, &persistent[1]);
        MPI_Waitall(1, &persistent[1], MPI_STATUSES_IGNORE);
    }
    MPI_Startall(3, &persistent[2]);
    MPI_Waitall(3, &persistent[2], MPI_STATUSES_IGNORE);
    for (int i = 0; i < num_started + 1; ++i) MPI_Request_free(&persistent[i]);

    MPI_Datatype vector; /* 3 blocks of 2 ints: 24 bytes of data over 48 */
    MPI_Type_vector(3, 2, 5, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Send(out, 2, vector, right, 20, MPI_COMM_WORLD);
    MPI_Type_free(&vector);
    MPI_Waitall(n, receive, MPI_STATUSES_IGNORE);

    MPI_Sendrecv(out, 40, MPI_BYTE, right, 30, in, 40, MPI_BYTE, left, 30, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 50, MPI_BYTE, right, 31, left, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Send(out, 5, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Isend(out, 5, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&at, &size_left);
}

/* On four ranks. */
static void communicators(void) {
    MPI_Comm reversed, copy, part, inter;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed); /* rank r is size-1-r */
    MPI_Comm_dup(reversed, &copy);
    if (rank == 3) MPI_Send(out, 8, MPI_BYTE, 1, 0, copy);
    if (rank == 2) MPI_Recv(in, 8, MPI_BYTE, 0, 0, copy, MPI_STATUS_IGNORE);
    MPI_Bcast(out, 100, MPI_BYTE, 1, reversed);
    MPI_Bcast(out, 200, MPI_BYTE, 1, copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&reversed);

    /* handles come back with other members: {0,2} {1,3}, then {0,1} {2,3}, ... */
    for (int i = 0; i < 20; ++i) {
        MPI_Comm_split(MPI_COMM_WORLD, i % 2 == 0 ? rank & 1 : rank >> 1, rank, &part);
        int me;
        MPI_Comm_rank(part, &me);
        if (me == 0) MPI_Send(out, 4, MPI_BYTE, 1, 0, part);
        if (me == 1) MPI_Recv(in, 4, MPI_BYTE, 0, 0, part, MPI_STATUS_IGNORE);
        MPI_Comm_free(&part);
    }

    MPI_Comm_split(MPI_COMM_WORLD, rank & 1, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - (rank & 1), 7, &inter);
    int me;
    MPI_Comm_rank(inter, &me);
    MPI_Sendrecv(out, 70, MPI_BYTE, me, 0, in, 70, MPI_BYTE, me, 0, inter, MPI_STATUS_IGNORE);
    MPI_Alltoall(out, 300, MPI_BYTE, in, 300, MPI_BYTE, inter);
    /* from rank 3, second of the odd group */
    MPI_Bcast(out, 1100, MPI_BYTE, rank == 3 ? MPI_ROOT : rank == 1 ? MPI_PROC_NULL : 1, inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&part);
}

/* Persistent collectives are an extension in Open MPI 4. */
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

static enum { blocking, nonblocking, started_once } way;
static void complete(MPI_Request* request) {
    if (way == started_once) MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (way == started_once) MPI_Request_free(request);
}
#define DO(name, nonblocking_name, ...)                                               \
    do {                                                                              \
        MPI_Request request_of_it;                                                    \
        if (way == blocking) MPI_##name(__VA_ARGS__);                                 \
        if (way == nonblocking) MPI_I##nonblocking_name(__VA_ARGS__, &request_of_it); \
        if (way == started_once)                                                      \
            PERSISTENT(name##_init)(__VA_ARGS__, MPI_INFO_NULL, &request_of_it);      \
        if (way != blocking) complete(&request_of_it);                                \
    } while (0)
static void collectives(void) {
    const int root = size - 1;
    int counts[64], offsets[64];
    MPI_Datatype types[64];
    MPI_Request request;
    for (int i = 0; i < size; ++i) counts[i] = 1, offsets[i] = 4 * i, types[i] = MPI_INT;
    DO(Barrier, barrier, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    DO(Bcast, bcast, out, 100, MPI_BYTE, root, MPI_COMM_WORLD);
    MPI_Ibcast(out, 300, MPI_BYTE, root, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    DO(Bcast, bcast, out, 7, MPI_BYTE, 0, MPI_COMM_WORLD);
    DO(Reduce, reduce, out, in, 10, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    DO(Allreduce, allreduce, out, in, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    DO(Allreduce, allreduce, MPI_IN_PLACE, in, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    DO(Scan, scan, out, in, 12, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    DO(Exscan, exscan, out, in, 13, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    DO(Gather, gather, rank == root ? MPI_IN_PLACE : out, 5, MPI_INT, in, 5, MPI_INT, root,
       MPI_COMM_WORLD);
    DO(Scatter, scatter, out, 6, MPI_INT, rank == root ? MPI_IN_PLACE : in, 6, MPI_INT, root,
       MPI_COMM_WORLD);
    DO(Allgather, allgather, out, 7, MPI_INT, in, 7, MPI_INT, MPI_COMM_WORLD);
    DO(Alltoall, alltoall, out, 8, MPI_INT, in, 8, MPI_INT, MPI_COMM_WORLD);
    DO(Reduce_scatter, reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    DO(Reduce_scatter_block, reduce_scatter_block, out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* The forms with a length per destination. */
static void by_destination(void) {
    const int root = size - 1;
    int send[64], receive[64], places[64];
    MPI_Aint addresses[64];
    MPI_Datatype types[64];
    for (int i = 0; i < 64; ++i) places[i] = 256 * i, addresses[i] = 256 * i, types[i] = MPI_BYTE;
    /* r sends 10 r + d + 1 bytes to d */
    for (int i = 0; i < size; ++i) send[i] = 10 * rank + i + 1, receive[i] = 10 * i + rank + 1;
    DO(Alltoallv, alltoallv, out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE,
       MPI_COMM_WORLD);
    DO(Alltoallw, alltoallw, out, send, places, types, in, receive, places, types, MPI_COMM_WORLD);
    /* r gives 100 + r bytes and gets as many */
    for (int i = 0; i < size; ++i) receive[i] = 100 + i;
    DO(Gatherv, gatherv, out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, root,
       MPI_COMM_WORLD);
    DO(Scatterv, scatterv, out, receive, places, MPI_BYTE, in, 100 + rank, MPI_BYTE, root,
       MPI_COMM_WORLD);
    DO(Allgatherv, allgatherv, out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE,
       MPI_COMM_WORLD);

    MPI_Comm line, ring;
    const int periodic = 0, one = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0,
                    &line); /* no neighbour beyond the ends */
    DO(Neighbor_allgather, neighbor_allgather, out, 1100, MPI_BYTE, in, 1100, MPI_BYTE, line);
    const int both[2] = {700, 700};
    DO(Neighbor_allgatherv, neighbor_allgatherv, out, 700, MPI_BYTE, in, both, places, MPI_BYTE,
       line);
    MPI_Comm_free(&line);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL,
                                   0, &ring);
    const int bytes = 5000;
    DO(Neighbor_alltoall, neighbor_alltoall, out, 5000, MPI_BYTE, in, 5000, MPI_BYTE, ring);
    DO(Neighbor_alltoallv, neighbor_alltoallv, out, &bytes, places, MPI_BYTE, in, &bytes, places,
       MPI_BYTE, ring);
    DO(Neighbor_alltoallw, neighbor_alltoallw, out, &one, addresses, types, in, &one, addresses,
       types, ring);
    MPI_Comm_free(&ring);
}

/* On 4 ranks. The first grid is made twice; the last one has no place for ranks 2 and 3. */
static void topologies(void) {
    const int dims[2] = {2, 2}, second[2] = {0, 1}, both[2] = {1, 1};
    const int index[4] = {2, 3, 4, 6}, edges[6] = {1, 3, 0, 3, 0, 2};
    const int source = 0, weights[3] = {1, 1, 1}, no = 0;
#ifdef OPEN_MPI
    const int degree = 3, to[3] = {0, MPI_PROC_NULL, 1};
#else /* MPICH ends the program where a neighbour is MPI_PROC_NULL */
    const int degree = 2, to[2] = {0, 1};
#endif
    MPI_Comm made[6];
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, second, 0, &made[0]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, both, 0, &made[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, second, 0, &made[2]);
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &made[3]);
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0, &source, &degree, to, weights, MPI_INFO_NULL,
                          0, &made[4]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, &no, 0, &made[5]);
    for (int i = 0; i < 6; ++i)
        if (made[i] != MPI_COMM_NULL) MPI_Comm_free(&made[i]);
}

/* On 3 ranks. Each waits in calls for one message five times for the left one, three times for the
 * right one: twice for a matched message, which the world knows by another number. */
static void waits(void) {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    int done = 0;
    MPI_Request both[2], once;
    MPI_Sendrecv(out, 1, MPI_BYTE, right, 0, in, 1, MPI_BYTE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int from_anyone = 0; from_anyone < 2; ++from_anyone) {
        MPI_Irecv(in, 1, MPI_BYTE, from_anyone ? MPI_ANY_SOURCE : left, 0, MPI_COMM_WORLD, &once);
        MPI_Send(out, 1, MPI_BYTE, right, 0, MPI_COMM_WORLD);
        MPI_Wait(&once, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Irecv(in, 1, MPI_BYTE, right, 0, MPI_COMM_WORLD, &once);
    MPI_Send(out, 1, MPI_BYTE, left, 0, MPI_COMM_WORLD);
    MPI_Wait(&once, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_BYTE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 1, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv_init(in, 1, MPI_BYTE, left, 0, MPI_COMM_WORLD, &once);
    MPI_Start(&once);
    MPI_Send(out, 1, MPI_BYTE, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&once, MPI_STATUS_IGNORE);
    MPI_Request_free(&once);
    MPI_Comm reversed;
    MPI_Message matched;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Send(out, 1, MPI_BYTE, size - 1 - left, 0, reversed);
    MPI_Mprobe(size - 1 - right, 0, reversed, &matched, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 1, MPI_BYTE, &matched, MPI_STATUS_IGNORE);
    MPI_Comm_free(&reversed);
    MPI_Recv(in, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* and in none of these */
    MPI_Irecv(in, 1, MPI_BYTE, left, 0, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(out, 1, MPI_BYTE, right, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, 1, MPI_BYTE, left, 0, MPI_COMM_WORLD, &once);
    MPI_Isend(out, 1, MPI_BYTE, right, 0, MPI_COMM_WORLD, &both[0]);
    while (!done) MPI_Test(&once, &done, MPI_STATUS_IGNORE);
    MPI_Wait(&both[0], MPI_STATUS_IGNORE);
}

/* Of each rank in a ring: at most three other sends are open where one begins. They are long enough
 * for MPI not to be done with them at once. */
static void open_sends(void) {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request sends[5], receives[4];
    MPI_Isend(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &sends[4]); /* is none */
    for (int i = 0; i < 4; ++i)
        MPI_Irecv(in, 60000, MPI_BYTE, left, 0, MPI_COMM_WORLD, &receives[i]);
    for (int i = 0; i < 4; ++i)
        MPI_Isend(out, i < 3 ? 16000 : 60000, MPI_BYTE, right, 0, MPI_COMM_WORLD, &sends[i]);
    MPI_Waitall(4, receives, MPI_STATUSES_IGNORE);
    MPI_Waitall(5, sends, MPI_STATUSES_IGNORE);
    MPI_Send_init(out, 16000, MPI_BYTE, right, 0, MPI_COMM_WORLD, &sends[0]);
    for (int i = 0; i < 2; ++i) {
        MPI_Start(&sends[0]);
        MPI_Recv(in, 16000, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&sends[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&sends[0]);
}

/* Of each rank in a ring 382 receives, of which the recorder looks at the 1st, 128th, 255th and
 * 382nd. The messages of the first 200 are there before, those of the others are not sent yet. */
static void early_messages(void) {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request receives[100];
    for (int i = 0; i < 200; ++i) {
        MPI_Send(out, 1, MPI_BYTE, right, 7, MPI_COMM_WORLD);
        MPI_Probe(left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(in, 1, MPI_BYTE, i % 2 ? MPI_ANY_SOURCE : left, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 100; ++i) MPI_Irecv(in, 1, MPI_BYTE, left, 8, MPI_COMM_WORLD, &receives[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 100; ++i) MPI_Send(out, 1, MPI_BYTE, right, 8, MPI_COMM_WORLD);
    MPI_Waitall(100, receives, MPI_STATUSES_IGNORE);
    /* from itself: sent by the call that receives */
    for (int i = 0; i < 82; ++i)
        MPI_Sendrecv(out, 1, MPI_BYTE, rank, 9, in, 1, MPI_BYTE, rank, 9, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void persistent(void) {
    int send[64], receive[64], places[64];
    MPI_Request once, together[2];
    for (int i = 0; i < 64; ++i) places[i] = 256 * i;
    for (int i = 0; i < size; ++i) send[i] = 10 * rank + i + 1, receive[i] = 10 * i + rank + 1;
    PERSISTENT(Allreduce_init)
    (out, in, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &once);
    PERSISTENT(Alltoallv_init)
    (out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL,
     &together[0]);
    PERSISTENT(Barrier_init)(MPI_COMM_WORLD, MPI_INFO_NULL, &together[1]);
    for (int t = 0; t < 3; ++t) {
        MPI_Start(&once);
        MPI_Wait(&once, MPI_STATUS_IGNORE);
    }
    for (int t = 0; t < 2; ++t) {
        MPI_Startall(2, together);
        MPI_Waitall(2, together, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&once);
    MPI_Request_free(&together[0]);
    MPI_Request_free(&together[1]);
}

/* To the right neighbour in four partitions, twice. */
static void partitioned(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request both[2];
    MPI_Psend_init(out, 4, 10, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
    MPI_Precv_init(in, 4, 10, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
    for (int t = 0; t < 2; ++t) {
        MPI_Startall(2, both);
        for (int p = 3; p >= 0; --p) MPI_Pready(p, both[0]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
#endif
}

/* To the right neighbour: 10 ints, 20 bytes; 30 bytes twice, into a persistent receive. (Not to
 * MPI_PROC_NULL: MPI_Isendrecv of MPICH 4.0.2 crashes there.) */
static void both_ways(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Isendrecv(out, 10, MPI_INT, right, 0, in, 10, MPI_INT, left, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(out, 20, MPI_BYTE, right, 1, left, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv_init(in, 30, MPI_BYTE, left, 3, MPI_COMM_WORLD, &request);
    for (int t = 0; t < 2; ++t) {
        MPI_Start(&request);
        MPI_Send(out, 30, MPI_BYTE, right, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
#endif
}

/* Calls whose counts have 64 bits. */
static void large_counts(void) {
#if defined(MPICH_VERSION) && MPI_VERSION >= 4
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Irecv_c(in, 10, MPI_BYTE, left, 0, MPI_COMM_WORLD, &request);
    MPI_Send_c(out, 10, MPI_BYTE, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out, 3, MPI_INT, right, 1, in, 3, MPI_INT, left, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    MPI_Bcast_c(out, 7, MPI_BYTE, 1, MPI_COMM_WORLD);
    MPI_Count send[64], receive[64];
    MPI_Aint places[64];
    /* 1000 (d + 1) bytes to d */
    for (int i = 0; i < size; ++i)
        send[i] = 1000 * (i + 1), receive[i] = 1000 * (rank + 1), places[i] = 5000 * i;
    MPI_Alltoallv_c(out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Reduce_scatter_c(out, in, send, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Datatype types[64];
    for (int i = 0; i < size; ++i)
        send[i] = 100 * (i + 1), receive[i] = 100 * (rank + 1), types[i] = MPI_BYTE;
    MPI_Alltoallw_c(out, send, places, types, in, receive, places, types, MPI_COMM_WORLD);
#endif
}

/* From and to the right neighbour, in a window whose ranks are not those of the world. */
static void one_sided(void) {
    const int target = size - 1 - (rank + 1) % size;
    static char result[1024];
    MPI_Comm reversed;
    MPI_Win win;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, reversed, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, 10, MPI_BYTE, target, 0, 10, MPI_BYTE, win);
    MPI_Put(out, 5, MPI_BYTE, MPI_PROC_NULL, 0, 5, MPI_BYTE, win);
    MPI_Get(result, 20, MPI_BYTE, target, 100, 20, MPI_BYTE, win);
    MPI_Accumulate(out, 8, MPI_INT, target, 200, 8, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(out, 100, MPI_BYTE, target, 300, 100, MPI_BYTE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(result, 300, MPI_BYTE, target, 500, 300, MPI_BYTE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Raccumulate(out, 2, MPI_INT, target, 1000, 2, MPI_INT, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get_accumulate(out, 3, MPI_INT, result, 3, MPI_INT, target, 1100, 3, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(target, win);
    MPI_Rget_accumulate(out, 50, MPI_INT, result, 50, MPI_INT, target, 1200, 50, MPI_INT, MPI_NO_OP,
                        win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(out, result, MPI_INT, target, 1600, MPI_SUM, win);
    MPI_Win_flush(target, win);
    MPI_Compare_and_swap(out, out + 4, result, MPI_INT, target, 1700, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&reversed);
}

/* Each rank has a kilobyte of the file. */
static void files(const char* path) {
    const MPI_Offset mine = 1000 * rank;
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, mine, out, 100, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, mine + 100, out, 5, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, mine + 120, out, 7, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_iread_at(file, mine, in, 50, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, mine, in, 10, MPI_BYTE);
    MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

enum { num_threads = 4, to_myself = 20000, to_the_right = 50 };

/* Most messages go to the rank itself: nobody waits for a CPU, and the threads meet in the
 * counters. */
static void* send_many(void* number) {
    const int tag = *(const int*)number;
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    char mine = 1, theirs;
    MPI_Request request;
    for (int i = 0; i < to_myself; ++i) {
        MPI_Irecv(&theirs, 1, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&mine, 1, MPI_BYTE, rank, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < to_the_right; ++i)
        MPI_Sendrecv(&mine, 1, MPI_BYTE, right, 10 + tag, &theirs, 1, MPI_BYTE, left, 10 + tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void threads(void) {
    pthread_t thread[num_threads];
    int tags[num_threads];
    for (int i = 0; i < num_threads; ++i) {
        tags[i] = i;
        pthread_create(&thread[i], NULL, send_many, &tags[i]);
    }
    for (int i = 0; i < num_threads; ++i) pthread_join(thread[i], NULL);
}

/* Threads meet on communicators that nobody has used before and that soon go again. */
enum { num_rounds = 300 };
static MPI_Comm passing;
static pthread_barrier_t together;

static void* send_on_passing(void* number) {
    const int tag = *(const int*)number;
    char mine = 1, theirs;
    for (int round = 0; round < num_rounds; ++round) {
        if (tag == 0) MPI_Comm_split(MPI_COMM_WORLD, 0, round % 2 ? rank : -rank, &passing);
        pthread_barrier_wait(&together);
        const int right = (rank + 1) % size, left = (rank + size - 1) % size;
        const int forwards = round % 2;
        const int to = forwards ? right : size - 1 - right;
        const int from = forwards ? left : size - 1 - left;
        MPI_Sendrecv(&mine, 1, MPI_BYTE, to, tag, &theirs, 1, MPI_BYTE, from, tag, passing,
                     MPI_STATUS_IGNORE);
        pthread_barrier_wait(&together);
        if (tag == 0) MPI_Comm_free(&passing);
    }
    return NULL;
}

static void passing_communicators(void) {
    pthread_t thread[num_threads];
    int tags[num_threads];
    pthread_barrier_init(&together, NULL, num_threads);
    for (int i = 0; i < num_threads; ++i) {
        tags[i] = i;
        pthread_create(&thread[i], NULL, send_on_passing, &tags[i]);
    }
    for (int i = 0; i < num_threads; ++i) pthread_join(thread[i], NULL);
}

/* To the rank `distance` further. */
static void shift(int distance, int bytes, int times) {
    const int to = (rank + distance) % size, from = (rank + size - distance % size) % size;
    for (int i = 0; i < times; ++i)
        MPI_Sendrecv(out, bytes, MPI_BYTE, to, 0, in, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void levels(void) {
    shift(1, 10, 1);
    MPI_Pcontrol(1);
    shift(1, 100, 2);
    MPI_Pcontrol(2);
    shift(1, 1000, 3);
    MPI_Pcontrol(1);
    shift(1, 100, 1);
    MPI_Pcontrol(0);
    shift(1, 10, 1);
}

/* IPM's way */
static void labels(void) {
    for (int i = 0; i < 3; ++i) {
        MPI_Pcontrol(1, "solve");
        shift(1, 100, 1);
        MPI_Pcontrol(1, "halo");
        shift(1, 1000, 2);
        MPI_Pcontrol(-1, "halo");
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(-1, "never begun");
        shift(1, 100, 1);
        MPI_Pcontrol(1, "halo");
        MPI_Pcontrol(-1, "solve"); /* ends what began inside it */
        shift(1, 10, 1);
    }
}

/* What stands behind a level when no label does: anything. */
static void wild_labels(void) {
    char* const page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + 4096, 4096);
    const char* const wild[] = {NULL, (char*)8, (char*)-1, page + 4096, "", "\001bell", "line\n"};
    for (unsigned i = 0; i < sizeof wild / sizeof *wild; ++i) {
        errno = 77;
        MPI_Pcontrol(1, wild[i]);
        if (errno != 77) MPI_Abort(MPI_COMM_WORLD, 77);
        shift(1, 100, 1);
        MPI_Pcontrol(-1, wild[i]);
        shift(1, 10, 1);
    }
    strcpy(page + 4096 - 6, "fence"); /* ends with its page */
    MPI_Pcontrol(1, page + 4096 - 6);
    shift(1, 1000, 1);
    MPI_Pcontrol(-1, page + 4096 - 6);
}

/* As a program in Fortran calls it that has levels alone: what stands behind the level is left of
 * other calls. A text comes with its length. */
static void fortran_labels(void) {
    typedef void function(const int* level, const void* perhaps_label, size_t perhaps_length);
    function* const pcontrol = (function*)dlsym(dlopen(NULL, RTLD_LAZY), "mpi_pcontrol_");
    const int begin = 1, end = -1, count = 'd';
    if (pcontrol == NULL) MPI_Abort(MPI_COMM_WORLD, 78);
    pcontrol(&begin, &count, (size_t)&count);
    shift(1, 100, 1);
    pcontrol(&begin, "longer", 3);
    shift(1, 100, 1);
    pcontrol(&begin, "solve", 6);
    shift(1, 1000, 1);
    pcontrol(&end, "solve", 6);
}

/* On a busy machine the seconds bring few rounds: a slice of the run has to have many. */
static void shift_for(int distance, int bytes, double seconds, int least_rounds) {
    const double end = MPI_Wtime() + seconds;
    for (int go_on = 1, round = 1; go_on; ++round) {
        shift(distance, bytes, 1);
        go_on = MPI_Wtime() < end || round < least_rounds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
        usleep(1000);
    }
}

/* Two patterns, the first of them twice. The slices of a run below ten seconds are few (shorten()
 * in recorder.cpp), and then chance says whether one of them holds two patterns. */
static void slices(void) {
    shift_for(1, 1000, 3.6, 400);
    shift_for(2, 20, 3.6, 400);
    shift_for(1, 1000, 3.6, 400);
}

/* Labels begun and not ended, ends of what never began. */
static void deep_labels(void) {
    char label[16];
    for (int i = 0; i < 200; ++i) {
        snprintf(label, sizeof label, "never %d", i);
        MPI_Pcontrol(-1, label);
    }
    for (int i = 0; i < 40; ++i) MPI_Pcontrol(1, "step");
    MPI_Pcontrol(1, "io");
    shift(1, 1000, 1);
    MPI_Pcontrol(-1, "io");
    shift(1, 100, 1);
}

/* All wait for the first in one call, which is longer than some slices. */
static void long_call(void) {
    shift(1, 10, 1);
    if (rank == 0) usleep(900000);
    MPI_Barrier(MPI_COMM_WORLD);
    shift_for(1, 1000, 0.5, 1);
    if (rank == 0) usleep(600000);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Threads send while time slices end. */
static void* send_for_a_second(void* unused) {
    (void)unused;
    char to[4] = "abc";
    const double end = MPI_Wtime() + 1.0;
    int sent = 0;
    for (; MPI_Wtime() < end || sent % 1000 != 0; ++sent) {
        MPI_Request request;
        MPI_Isend(to, 3, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
        char from[4];
        MPI_Recv(from, 3, MPI_BYTE, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int* const count = malloc(sizeof *count);
    *count = sent;
    return count;
}

static void sliced_threads(void) {
    pthread_t thread[num_threads];
    long all = 0;
    for (int i = 0; i < num_threads; ++i) pthread_create(&thread[i], NULL, send_for_a_second, NULL);
    for (int i = 0; i < num_threads; ++i) {
        void* count;
        pthread_join(thread[i], &count);
        all += *(int*)count;
        free(count);
    }
    printf("sent %d %ld\n", rank, all);
}

/* More phases than fit, and messages that do not. */
static void many_phases(void) {
    char label[100];
    for (int i = 0; i < 5000; ++i) {
        snprintf(label, sizeof label, "%*d", 70 * (i % 2), i % 200);
        MPI_Pcontrol(1, label);
        shift(1 + i % 2, 1 << i % 12, 1);
        if (i % 3 == 0) MPI_Pcontrol(-1, label);
    }
}

int main(int argc, char** argv) {
    const char* scenario = argc > 1 ? argv[1] : "";
    int level = MPI_THREAD_SINGLE;
    const int threaded = strcmp(scenario, "threads") == 0 || strcmp(scenario, "passing") == 0 ||
                         strcmp(scenario, "sliced_threads") == 0;
    if (threaded)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(scenario, "sends") == 0) sends();
    if (strcmp(scenario, "communicators") == 0) communicators();
    if (strcmp(scenario, "collectives") == 0) collectives();
    if (strcmp(scenario, "by_destination") == 0) by_destination();
    if (strcmp(scenario, "nonblocking") == 0) way = nonblocking, collectives(), by_destination();
    if (strcmp(scenario, "started") == 0) way = started_once, collectives(), by_destination();
    if (strcmp(scenario, "topologies") == 0) topologies();
    if (strcmp(scenario, "waits") == 0) waits();
    if (strcmp(scenario, "open_sends") == 0) open_sends();
    if (strcmp(scenario, "early_messages") == 0) early_messages();
    if (strcmp(scenario, "persistent") == 0) persistent();
    if (strcmp(scenario, "partitioned") == 0) partitioned();
    if (strcmp(scenario, "both_ways") == 0) both_ways();
    if (strcmp(scenario, "many_requests") == 0) many_requests();
    if (strcmp(scenario, "one_sided") == 0) one_sided();
    if (strcmp(scenario, "files") == 0) files(argv[2]);
    if (strcmp(scenario, "large_counts") == 0) large_counts();
    if (strcmp(scenario, "levels") == 0) levels();
    if (strcmp(scenario, "labels") == 0) labels();
    if (strcmp(scenario, "wild_labels") == 0) wild_labels();
    if (strcmp(scenario, "fortran_labels") == 0) fortran_labels();
    if (strcmp(scenario, "slices") == 0) slices();
    if (strcmp(scenario, "many_phases") == 0) many_phases();
    if (strcmp(scenario, "deep_labels") == 0) deep_labels();
    if (strcmp(scenario, "long_call") == 0) long_call();
    if (strcmp(scenario, "sliced_threads") == 0) sliced_threads();
    if (threaded && level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 99);
    if (strcmp(scenario, "everybody") == 0)
        everybody(argc > 2 ? atoi(argv[2]) : 9, argc > 3 ? atoi(argv[3]) : 1);
    if (strcmp(scenario, "leftover") == 0) leave_a_receive();
    if (strcmp(scenario, "threads") == 0) threads();
    if (strcmp(scenario, "passing") == 0) passing_communicators();
    if (strcmp(scenario, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, 42);
    if (strcmp(scenario, "exit") == 0) _exit(7);
    if (strcmp(scenario, "exit_together") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        _exit(7);
    }
    if (strcmp(scenario, "fork") == 0) {
        const pid_t child = fork();
        if (child == 0) exit(0);
    }
    if (strcmp(scenario, "children") == 0) {
        const char* record = getenv("COMMMAP_RECORD");
        const char* preload = getenv("LD_PRELOAD");
        printf("children see %s\n", record == NULL ? "nothing" : record);
        printf("and load %s\n", preload == NULL ? "nothing" : preload);
    }
    printf("rank %d of %d done\n", rank, size);
    fflush(stdout);
    if (strcmp(scenario, "finalize_past_the_wrapper") == 0)
        PMPI_Finalize(); /* as Fortran's bindings and other tools do */
    else
        MPI_Finalize();
    if (posted != 7) return 9;
    return strcmp(scenario, "status") == 0 ? 3 : 0;
}
