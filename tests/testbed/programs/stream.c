/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Latency of small messages (us) between the first and the last rank, and rate of large ones (MB/s)
 * from all ranks to the last. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 200, LARGE = 1 << 20 };

int main(int argc, char** argv) {
    int rank, size, last, i, count;
    double start, latency;
    char* buffer = calloc(LARGE, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size - 1;
    count = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (i = 0; i < SMALL && (rank == 0 || rank == last); i++) {
        if (rank == 0) MPI_Send(buffer, 1, MPI_CHAR, last, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, 1, MPI_CHAR, last - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == last) MPI_Send(buffer, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    latency = (MPI_Wtime() - start) / SMALL / 2;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (rank < last)
        for (i = 0; i < count; i++) MPI_Send(buffer, LARGE, MPI_CHAR, last, 0, MPI_COMM_WORLD);
    else
        for (i = 0; i < count * last; i++)
            MPI_Recv(buffer, LARGE, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("latency_us %.1f rate_MBps %.1f\n", latency * 1e6,
               (double)count * last * LARGE / (MPI_Wtime() - start) / 1e6);
    MPI_Finalize();
    return 0;
}
