/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Messages whose rounds are known: rounds_test.cpp has them worked out. usage: rounds SCENARIO */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { length = 1000, times = 5, most_ranks = 16 };

static MPI_Comm world;
static int rank, size, left, right;
static char out[1 << 18], in[most_ranks][1 << 18];
static MPI_Request requests[2 * most_ranks];

static void receive_from(int peer, MPI_Request* request) {
    MPI_Irecv(in[peer == MPI_PROC_NULL ? 0 : peer], length, MPI_BYTE, peer, 0, world, request);
}
static void send_to(int peer, MPI_Request* request) {
    MPI_Isend(out, length, MPI_BYTE, peer, 0, world, request);
}

/* Even ranks send first, odd ones receive first. */
static void pairs(void) {
    const int peer = rank ^ 1;
    for (int i = 0; i < times; ++i) {
        if (rank % 2 == 0) MPI_Send(out, length, MPI_BYTE, peer, 0, world);
        MPI_Recv(in[0], length, MPI_BYTE, peer, 0, world, MPI_STATUS_IGNORE);
        if (rank % 2 == 1) MPI_Send(out, length, MPI_BYTE, peer, 0, world);
    }
}

static void sendrecv(void) {
    for (int i = 0; i < times; ++i) {
        MPI_Sendrecv(out, length, MPI_BYTE, right, 0, in[0], length, MPI_BYTE, left, 0, world,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(out, length, MPI_BYTE, left, 0, right, 0, world, MPI_STATUS_IGNORE);
    }
}

/* One direction after the other, with a wait for each request. */
static void one_by_one(void) {
    for (int i = 0; i < times; ++i) {
        receive_from(left, &requests[0]);
        send_to(right, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        receive_from(right, &requests[0]);
        send_to(left, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

static void begin_all(void) {
    receive_from(left, &requests[0]);
    receive_from(right, &requests[1]);
    send_to(right, &requests[2]);
    send_to(left, &requests[3]);
}

static void waitall(void) {
    for (int i = 0; i < times; ++i) {
        begin_all();
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
}

static void waitany(void) {
    for (int i = 0; i < times; ++i) {
        begin_all();
        for (int k = 0, which; k < 4; ++k) MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    }
}

static void testsome(void) {
    int which[4];
    for (int i = 0; i < times; ++i) {
        begin_all();
        for (int done = 0, now; done < 4; done += now)
            MPI_Testsome(4, requests, &now, which, MPI_STATUSES_IGNORE);
    }
}

/* One request after the other until it is there, then all that are left. */
static void tests(void) {
    for (int i = 0; i < times; ++i) {
        begin_all();
        int flag = 0, which;
        while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;) MPI_Testany(4, requests, &which, &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;) MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
    }
}

static void waitsome(void) {
    int which[4];
    for (int i = 0; i < times; ++i) {
        begin_all();
        for (int done = 0, now; done < 4; done += now)
            MPI_Waitsome(4, requests, &now, which, MPI_STATUSES_IGNORE);
    }
}

static void persistent(void) {
    MPI_Recv_init(in[0], length, MPI_BYTE, left, 0, world, &requests[0]);
    MPI_Recv_init(in[1], length, MPI_BYTE, right, 0, world, &requests[1]);
    MPI_Send_init(out, length, MPI_BYTE, right, 0, world, &requests[2]);
    MPI_Send_init(out, length, MPI_BYTE, left, 0, world, &requests[3]);
    for (int i = 0; i < times; ++i) {
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
}

static void neighbours(void) {
    const int dims[1] = {size}, periods[1] = {1};
    MPI_Comm ring;
    MPI_Cart_create(world, 1, dims, periods, 0, &ring);
    for (int i = 0; i < times; ++i) {
        MPI_Neighbor_alltoall(out, length, MPI_BYTE, in[0], length, MPI_BYTE, ring);
        MPI_Ineighbor_alltoall(out, length, MPI_BYTE, in[0], length, MPI_BYTE, ring, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&ring);
}

/* Puts between fences, and gets under a lock. */
static void epochs(void) {
    MPI_Win win;
    MPI_Win_create(in[0], sizeof in[0], 1, MPI_INFO_NULL, world, &win);
    for (int i = 0; i < times; ++i) {
        MPI_Win_fence(0, win);
        MPI_Put(out, length, MPI_BYTE, right, 0, length, MPI_BYTE, win);
        MPI_Win_fence(0, win);
    }
    for (int i = 0; i < times; ++i) {
        MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
        MPI_Get(out, length, MPI_BYTE, left, 0, length, MPI_BYTE, win);
        MPI_Win_unlock(left, win);
    }
    MPI_Win_free(&win);
}

/* The next receive is posted before the last is waited for. */
static void double_buffer(void) {
    receive_from(left, &requests[0]);
    for (int i = 0; i < times; ++i) {
        receive_from(left, &requests[1]);
        send_to(right, &requests[2]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
        requests[0] = requests[1];
    }
    MPI_Send(out, length, MPI_BYTE, right, 0, world);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* A sum that is begun before a halo exchange and waited for after another one. */
static void over_a_halo(void) {
    double mine = 1, sum;
    for (int i = 0; i < times; ++i) {
        MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, world, &requests[4]);
        begin_all();
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        begin_all();
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&requests[4], MPI_STATUS_IGNORE);
    }
}

/* Up and down a row, in which the ends have one neighbour. */
static void open_row(void) {
    const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    for (int i = 0; i < times; ++i) {
        receive_from(down, &requests[0]);
        MPI_Send(out, length, MPI_BYTE, up, 0, world);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        receive_from(up, &requests[0]);
        MPI_Send(out, length, MPI_BYTE, down, 0, world);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

/* A token goes round; then all shift by one. */
static void token_and_shift(void) {
    for (int i = 0; i < times; ++i) {
        if (rank > 0) MPI_Recv(in[0], length, MPI_BYTE, left, 0, world, MPI_STATUS_IGNORE);
        MPI_Send(out, length, MPI_BYTE, right, 0, world);
        if (rank == 0) MPI_Recv(in[0], length, MPI_BYTE, left, 0, world, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, length, MPI_BYTE, right, 1, in[0], length, MPI_BYTE, left, 1, world,
                     MPI_STATUS_IGNORE);
    }
}

/* From the upper left of 2 x 2 to the lower right. */
static void wavefront(void) {
    const int row = rank / 2, column = rank % 2;
    if (row > 0) MPI_Recv(in[0], length, MPI_BYTE, rank - 2, 0, world, MPI_STATUS_IGNORE);
    if (column > 0) MPI_Recv(in[1], length, MPI_BYTE, rank - 1, 0, world, MPI_STATUS_IGNORE);
    if (row < 1) MPI_Send(out, length, MPI_BYTE, rank + 2, 0, world);
    if (column < 1) MPI_Send(out, length, MPI_BYTE, rank + 1, 0, world);
}

/* The lower half exchanges twice as often as the upper one, with collectives of its own. */
static void apart(void) {
    MPI_Comm half;
    MPI_Comm_split(world, rank < size / 2, rank, &half);
    const int rounds = rank < size / 2 ? 2 * times : times;
    for (int i = 0; i < rounds; ++i) {
        const int peer = rank ^ 1;
        receive_from(peer, &requests[0]);
        send_to(peer, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(half);
    }
    MPI_Comm_free(&half);
}

/* Receives from anyone, whose senders only statuses tell, or nobody. */
static void anyone(void) {
    MPI_Status status;
    for (int i = 0; i < times; ++i) {
        MPI_Irecv(in[0], length, MPI_BYTE, MPI_ANY_SOURCE, 0, world, &requests[0]);
        send_to(right, &requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Send(out, length, MPI_BYTE, right, 1, world);
        MPI_Recv(in[0], length, MPI_BYTE, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
        MPI_Irecv(in[0], length, MPI_BYTE, MPI_ANY_SOURCE, 2, world, &requests[0]);
        send_to(right, &requests[1]);
        receive_from(left, &requests[2]);
        MPI_Isend(out, length, MPI_BYTE, right, 2, world, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Send(out, length, MPI_BYTE, right, 3, world);
        MPI_Recv(in[0], length, MPI_BYTE, MPI_ANY_SOURCE, 3, world, &status);
        MPI_Barrier(world);
    }
}

/* Messages that are matched before they are received. */
static void matched(void) {
    for (int i = 0; i < times; ++i) {
        MPI_Message message;
        MPI_Status status;
        int flag = 0;
        MPI_Send(out, length, MPI_BYTE, right, 0, world);
        MPI_Mprobe(left, 0, world, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(in[0], length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        MPI_Send(out, length, MPI_BYTE, right, 1, world);
        while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 1, world, &flag, &message, &status);
        MPI_Imrecv(in[0], length, MPI_BYTE, &message, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Barrier(world);
    }
}

/* A receive that is cancelled, and a send that is let go. */
static void dropped(void) {
    for (int i = 0; i < times; ++i) {
        MPI_Irecv(in[0], length, MPI_BYTE, left, 7, world, &requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        send_to(right, &requests[0]);
        MPI_Request_free(&requests[0]);
        MPI_Recv(in[0], length, MPI_BYTE, left, 0, world, MPI_STATUS_IGNORE);
    }
}

/* Blocking sends that wait for their receivers, one behind the other, and ones that do not. */
static void long_sends(void) {
    enum { too_long = 100000 };
    for (int i = 0; i < times; ++i) {
        if (rank == 0) {
            MPI_Send(out, length, MPI_BYTE, 1, 0, world);
            MPI_Send(out, length, MPI_BYTE, 2, 0, world);
            MPI_Barrier(world);
            MPI_Send(out, too_long, MPI_BYTE, 1, 0, world);
            MPI_Send(out, too_long, MPI_BYTE, 2, 0, world);
            MPI_Ssend(out, length, MPI_BYTE, 1, 0, world);
            MPI_Ssend(out, length, MPI_BYTE, 2, 0, world);
        } else {
            MPI_Recv(in[0], length, MPI_BYTE, 0, 0, world, MPI_STATUS_IGNORE);
            MPI_Barrier(world);
            MPI_Recv(in[0], too_long, MPI_BYTE, 0, 0, world, MPI_STATUS_IGNORE);
            MPI_Recv(in[0], length, MPI_BYTE, 0, 0, world, MPI_STATUS_IGNORE);
        }
    }
}

/* Messages of a collective that nobody receives, and a token behind them. */
static void beside_a_collective(void) {
    static int counts[most_ranks], offsets[most_ranks], received[most_ranks];
    counts[right] = length;
    received[left] = length;
    for (int i = 0; i < times; ++i) {
        MPI_Alltoallv(out, counts, offsets, MPI_BYTE, in[0], received, offsets, MPI_BYTE, world);
        if (rank > 0) MPI_Recv(in[0], length, MPI_BYTE, left, 0, world, MPI_STATUS_IGNORE);
        if (rank < size - 1) MPI_Send(out, length, MPI_BYTE, right, 0, world);
        MPI_Barrier(world);
    }
}

/* Calls with nothing to wait for, and with no address. */
static void nothing(void) {
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    if (MPI_Wait(NULL, MPI_STATUS_IGNORE) == MPI_SUCCESS) MPI_Abort(world, 3);
    if (MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS) MPI_Abort(world, 4);
    requests[0] = requests[1] = MPI_REQUEST_NULL;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(world);
}

/* More signatures than are kept: 1, 2, 3, ... messages to the right. */
static void many_signatures(void) {
    static MPI_Request all[80];
    for (int count = 1; count <= 80; ++count) {
        for (int i = 0; i < count; ++i) receive_from(left, &all[i]);
        for (int i = 0; i < count; ++i) MPI_Send(out, length, MPI_BYTE, right, 0, world);
        MPI_Waitall(count, all, MPI_STATUSES_IGNORE);
        MPI_Barrier(world);
    }
}

/* More rounds than are listed. */
static void many_rounds(void) {
    for (int i = 0; i < 5000; ++i)
        MPI_Sendrecv(out, 1, MPI_BYTE, right, 0, in[0], 1, MPI_BYTE, left, 0, world,
                     MPI_STATUS_IGNORE);
}

/* An exchange of everybody with so many messages in one round that it has no signature. */
static void long_round(void) {
    enum { messages = 3000 };
    static MPI_Request all[2 * messages];
    for (int i = 0; i < messages; ++i) {
        MPI_Irecv(in[0] + i, 1, MPI_BYTE, left, 0, world, &all[2 * i]);
        MPI_Isend(out, 1, MPI_BYTE, right, 0, world, &all[2 * i + 1]);
    }
    MPI_Waitall(2 * messages, all, MPI_STATUSES_IGNORE);
}

static void* shift(void* comm) {
    for (int i = 0; i < times; ++i)
        MPI_Sendrecv(out, length, MPI_BYTE, right, 0, in[rank], length, MPI_BYTE, left, 0,
                     *(MPI_Comm*)comm, MPI_STATUS_IGNORE);
    return NULL;
}

static void two_threads(void) {
    MPI_Comm comms[2];
    pthread_t other;
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(world, &comms[i]);
    pthread_create(&other, NULL, shift, &comms[0]);
    shift(&comms[1]);
    pthread_join(other, NULL);
    for (int i = 0; i < 2; ++i) MPI_Comm_free(&comms[i]);
}

/* Threads may be in MPI at once, but one does it all. */
static void one_thread(void) { shift(&world); }

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } scenarios[] = {{"pairs", pairs},
                     {"sendrecv", sendrecv},
                     {"one_by_one", one_by_one},
                     {"waitall", waitall},
                     {"waitany", waitany},
                     {"testsome", testsome},
                     {"tests", tests},
                     {"waitsome", waitsome},
                     {"persistent", persistent},
                     {"neighbours", neighbours},
                     {"epochs", epochs},
                     {"double_buffer", double_buffer},
                     {"over_a_halo", over_a_halo},
                     {"open_row", open_row},
                     {"token_and_shift", token_and_shift},
                     {"wavefront", wavefront},
                     {"apart", apart},
                     {"anyone", anyone},
                     {"matched", matched},
                     {"dropped", dropped},
                     {"long_sends", long_sends},
                     {"beside_a_collective", beside_a_collective},
                     {"nothing", nothing},
                     {"many_signatures", many_signatures},
                     {"many_rounds", many_rounds},
                     {"long_round", long_round},
                     {"two_threads", two_threads},
                     {"one_thread", one_thread}};
    const char* const wanted = argc > 1 ? argv[1] : "";
    int provided;
    MPI_Init_thread(&argc, &argv,
                    strstr(wanted, "thread") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    int found = 0;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i)
        if (strcmp(scenarios[i].name, wanted) == 0) {
            scenarios[i].run();
            found = 1;
        }
    MPI_Finalize();
    return found ? 0 : 2;
}
