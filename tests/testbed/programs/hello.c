/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* One line per rank: rank, size, host, in-node rank, affinity mask; then rank 0 sees the sum of all
 * ranks. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, size, sum, local, i;
    char host[64];
    cpu_set_t mask;
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    gethostname(host, sizeof host);
    sched_getaffinity(0, sizeof mask, &mask);
    printf("rank %d/%d host %s local %d sum %d cpus", rank, size, host, local, sum);
    for (i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &mask)) printf(" %d", i);
    printf("\n");
    MPI_Finalize();
    return 0;
}
