/* SPDX-FileCopyrightText: The commmap authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Measures the overheads of short messages between two ranks in another way than commmap-measure.
 * Rank 0 sends some messages one behind another, which are timed together. Rank 1 lets time pass
 * until they have come, and receives the first, which is timed, and the others. In half of the
 * rounds rank 1 works meanwhile, in the others it sleeps. Prints the middle one of all rounds for
 * one message: "SECONDS-IN-SEND SECONDS-IN-RECV-AFTER-WORK SECONDS-IN-RECV-AFTER-SLEEP". */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 401, MESSAGES = 4, LENGTH = 8 };
enum { WORKS, SLEEPS, KINDS };
static const double UNTIL_THERE_S = 2e-3;

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

static double middle(double* seconds) {
    qsort(seconds, ROUNDS, sizeof(double), ascending);
    return seconds[ROUNDS / 2];
}

static void pass_time(int kind) {
    if (kind == SLEEPS) {
        const struct timespec until_there = {0, (long)(1e9 * UNTIL_THERE_S)};
        nanosleep(&until_there, NULL);
        return;
    }
    const double there = MPI_Wtime() + UNTIL_THERE_S;
    while (MPI_Wtime() < there) {
    }
}

/* Returns the time that the messages of one round took this rank, or the first of them rank 1. */
static double exchange(int rank) {
    char text[LENGTH] = {0};
    double first = 0.0;
    const double begin = MPI_Wtime();
    for (int m = 0; m < MESSAGES; ++m) {
        if (rank == 0) MPI_Send(text, LENGTH, MPI_CHAR, 1, m, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Recv(text, LENGTH, MPI_CHAR, 0, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (m == 0) first = MPI_Wtime() - begin;
        }
    }
    return rank == 0 ? MPI_Wtime() - begin : first;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double seconds[KINDS][ROUNDS];
    for (int round = 0; round < KINDS * ROUNDS; ++round) {
        const int kind = round % KINDS;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) pass_time(kind);
        seconds[kind][round / KINDS] = exchange(rank);
    }
    double middles[KINDS] = {middle(seconds[WORKS]), middle(seconds[SLEEPS])};
    if (rank == 1) MPI_Send(middles, KINDS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const double sent = middles[WORKS] / MESSAGES;
        MPI_Recv(middles, KINDS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%.9f %.9f %.9f\n", sent, middles[WORKS], middles[SLEEPS]);
    }
    MPI_Finalize();
    return 0;
}
