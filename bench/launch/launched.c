/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* What `scripts/bench launch` launches: MPI_Init, a barrier, one line, MPI_Finalize.
 *
 * The line has two times of day in seconds: when the first instruction of the last task to begin
 * was run, and when MPI_Init and the barrier were over in rank 0. With an argument partners half
 * the world apart exchange messages, so that a record of it makes a plan. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { BYTES = 20000, ROUNDS = 20 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void exchange(int rank, int size) {
    static char out[BYTES], in[BYTES];
    for (int round = 0; round < ROUNDS; round++)
        MPI_Sendrecv(out, BYTES, MPI_CHAR, (rank + size / 2) % size, 0, in, BYTES, MPI_CHAR,
                     (rank + size / 2) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
    const double begun = now();
    double last_begun = 0.0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    const double initialised = now();
    MPI_Reduce(&begun, &last_begun, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%.6f %.6f\n", last_begun, initialised);
    if (argc > 1) exchange(rank, size);
    MPI_Finalize();
    return 0;
}
