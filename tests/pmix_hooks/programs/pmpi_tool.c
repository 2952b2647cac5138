/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Another tool by MPI's profiling interface: counts sends, and says how many at the end. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* data, int count, MPI_Datatype type, int destination, int tag,
             MPI_Comm comm) {
    ++sends;
    return PMPI_Send(data, count, type, destination, tag, comm);
}

int MPI_Init(int* argc, char*** argv) {
    sends = 0;
    return PMPI_Init(argc, argv);
}

int MPI_Finalize(void) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("tool: %d sends\n", sends);
    return PMPI_Finalize();
}
