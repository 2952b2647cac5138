/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Three rounds of a broadcast, a gathering and a sum of 20,000 bytes on all ranks, with checked
 * results. collectives [RANK]: that rank kills itself before the last round. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 5000, most_ranks = 64 };

static int sent[count], gathered[most_ranks * count], added[count];

int main(int argc, char** argv) {
    int rank, size, round, i, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (round = 0; round < 3; round++) {
        if (round == 2 && argc > 1 && atoi(argv[1]) == rank) raise(SIGKILL);
        for (i = 0; i < count; i++) sent[i] = rank == round ? i + round : -1;
        MPI_Bcast(sent, count, MPI_INT, round, MPI_COMM_WORLD);
        for (i = 0; i < count; i++) wrong += sent[i] != i + round;
        for (i = 0; i < count; i++) sent[i] = 100 * rank + i;
        MPI_Allgather(sent, count, MPI_INT, gathered, count, MPI_INT, MPI_COMM_WORLD);
        for (i = 0; i < size * count; i++) wrong += gathered[i] != 100 * (i / count) + i % count;
        MPI_Allreduce(sent, added, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (i = 0; i < count; i++) wrong += added[i] != 50 * size * (size - 1) + size * i;
    }
    printf("rank %d on %s: %s\n", rank, getenv("SLURMD_NODENAME"), wrong ? "wrong" : "right");
    MPI_Finalize();
    return 0;
}
