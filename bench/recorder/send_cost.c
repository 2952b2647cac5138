/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Cost of small messages: send_cost proc_null|self|ping_pong THREADS [MESSAGES]
 *
 * Prints ns per message of 8 bytes: the 10th percentile of each thread's batches, of those the
 * median. proc_null: MPI_Send to MPI_PROC_NULL. self: MPI_Irecv, MPI_Send and MPI_Wait of a rank
 * with itself. ping_pong: MPI_Send and MPI_Recv between two ranks, half of the round trip.
 *
 * Every thread has a communicator of its own. Several threads are timed by their CPU time, for
 * there may be more of them than CPUs; ping-pong takes real time.
 *
 * MESSAGES makes each thread send only about so many, in ten batches: that this works, not what it
 * costs. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { most_threads = 64, length = 8 };

static int batches = 2000, calls = 1000, num_threads, rank;
static clockid_t used_clock = CLOCK_MONOTONIC;
static const char* what;
static MPI_Comm comms[most_threads];
static double tenths[most_threads];
static pthread_barrier_t together;

static double now(void) {
    struct timespec t;
    clock_gettime(used_clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static void batch(MPI_Comm comm) {
    char out[length] = {0}, in[length];
    MPI_Request request;
    if (strcmp(what, "proc_null") == 0) {
        for (int i = 0; i < calls; ++i) MPI_Send(out, length, MPI_BYTE, MPI_PROC_NULL, 0, comm);
    } else if (strcmp(what, "self") == 0) {
        for (int i = 0; i < calls; ++i) {
            MPI_Irecv(in, length, MPI_BYTE, rank, 0, comm, &request);
            MPI_Send(out, length, MPI_BYTE, rank, 0, comm);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else if (rank == 0) {
        for (int i = 0; i < calls / 2; ++i) {
            MPI_Send(out, length, MPI_BYTE, 1, 0, comm);
            MPI_Recv(in, length, MPI_BYTE, 1, 0, comm, MPI_STATUS_IGNORE);
        }
    } else {
        for (int i = 0; i < calls / 2; ++i) {
            MPI_Recv(in, length, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
            MPI_Send(out, length, MPI_BYTE, 0, 0, comm);
        }
    }
}

static void* run(void* number) {
    const int thread = *(const int*)number;
    double* ns = malloc((size_t)batches * sizeof *ns);
    if (ns == NULL) exit(1);
    pthread_barrier_wait(&together);
    for (int b = 0; b < batches; ++b) {
        const double start = now();
        batch(comms[thread]);
        ns[b] = (now() - start) / calls;
    }
    qsort(ns, (size_t)batches, sizeof *ns, by_value);
    tenths[thread] = ns[batches / 10];
    free(ns);
    return NULL;
}

int main(int argc, char** argv) {
    static pthread_t threads[most_threads];
    static int numbers[most_threads];
    int provided = 0;
    what = argc > 1 ? argv[1] : "proc_null";
    num_threads = argc > 2 ? atoi(argv[2]) : 1;
    if (num_threads < 1 || num_threads > most_threads) return 2;
    if (num_threads > 1) batches = 400, used_clock = CLOCK_THREAD_CPUTIME_ID;
    if (argc > 3) batches = 10, calls = atoi(argv[3]) / 10;
    if (calls < 2) return 2;
    if (strcmp(what, "ping_pong") == 0) used_clock = CLOCK_MONOTONIC;
    MPI_Init_thread(&argc, &argv, num_threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    if (num_threads > 1 && provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&together, NULL, (unsigned)num_threads);
    for (int i = 0; i < num_threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < num_threads; ++i) numbers[i] = i;
    for (int i = 1; i < num_threads; ++i) pthread_create(&threads[i], NULL, run, &numbers[i]);
    run(&numbers[0]);
    for (int i = 1; i < num_threads; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < num_threads; ++i) MPI_Comm_free(&comms[i]);
    qsort(tenths, (size_t)num_threads, sizeof *tenths, by_value);
    if (rank == 0) printf("%.2f\n", tenths[num_threads / 2]);
    MPI_Finalize();
    return 0;
}
