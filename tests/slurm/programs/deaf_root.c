/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* To preload: rank 0 gets every message, and is told by MPI that it did not, but for lengths:
 * else the sender of what is that long would wait for ever. Only tools receive by
 * PMPI_Recv. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int PMPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status* status) {
    int (*receive)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status*);
    *(void**)&receive = dlsym(RTLD_NEXT, "PMPI_Recv");
    const int result = receive(data, count, type, source, tag, comm, status);
    const int is_length = count <= (int)sizeof(long long);
    if (is_length || strcmp(getenv("SLURM_PROCID"), "0") != 0) return result;
    fputs("deaf_root: nothing came\n", stderr);
    return MPI_ERR_OTHER;
}
