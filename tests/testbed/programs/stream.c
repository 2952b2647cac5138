/* Two ranks: latency of small messages (us) and rate of large ones (MB/s) from rank 0 to rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 200, LARGE = 1 << 20 };

int main(int argc, char** argv) {
    int rank, i, count;
    double start, latency;
    char* buffer = calloc(LARGE, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    count = argc > 1 ? atoi(argv[1]) : 10;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (i = 0; i < SMALL; i++) {
        if (rank == 0) MPI_Send(buffer, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, 1, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(buffer, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    latency = (MPI_Wtime() - start) / SMALL / 2;
    start = MPI_Wtime();
    for (i = 0; i < count; i++)
        if (rank == 0)
            MPI_Send(buffer, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(buffer, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Recv(buffer, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(buffer, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("latency_us %.1f rate_MBps %.1f\n", latency * 1e6,
               (double)count * LARGE / (MPI_Wtime() - start) / 1e6);
    MPI_Finalize();
    return 0;
}
