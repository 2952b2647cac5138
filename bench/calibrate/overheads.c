/* SPDX-FileCopyrightText: The commmap authors
 * SPDX-License-Identifier: Apache-2.0 */

/* Measures the overheads of short messages between two ranks in another way than commmap-measure.
 * Rank 0 sends some messages one behind another, which are timed together. Rank 1 sleeps until they
 * have come, and receives the first, which is timed, and the others. Prints the middle one of all
 * rounds for one message: "SECONDS-IN-SEND SECONDS-IN-RECV". */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 401, MESSAGES = 4, LENGTH = 8 };

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char text[LENGTH] = {0};
    double seconds[ROUNDS];
    const struct timespec until_there = {0, 2000000};
    for (int round = 0; round < ROUNDS; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) nanosleep(&until_there, NULL);
        const double begin = MPI_Wtime();
        for (int m = 0; m < MESSAGES; ++m) {
            if (rank == 0) MPI_Send(text, LENGTH, MPI_CHAR, 1, m, MPI_COMM_WORLD);
            if (rank == 1) {
                MPI_Recv(text, LENGTH, MPI_CHAR, 0, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            if (rank == 1 && m == 0) seconds[round] = MPI_Wtime() - begin;
        }
        if (rank == 0) seconds[round] = (MPI_Wtime() - begin) / MESSAGES;
    }
    qsort(seconds, ROUNDS, sizeof(double), ascending);
    double received = seconds[ROUNDS / 2];
    if (rank == 1) MPI_Send(&received, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const double sent = seconds[ROUNDS / 2];
        MPI_Recv(&received, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%.9f %.9f\n", sent, received);
    }
    MPI_Finalize();
    return 0;
}
