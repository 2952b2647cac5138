/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* One line per rank: rank, size, host, ranks that MPI says share memory with it, and whether a
 * shared segment is really mapped after a message between two of them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int shared_segments(void) {
    char line[1024];
    int found = 0;
    FILE* maps = fopen("/proc/self/maps", "r");
    if (maps == NULL) return -1;
    while (fgets(line, sizeof line, maps) != NULL) {
        if (strstr(line, "/dev/shm/") != NULL && strstr(line, "rw-s") != NULL) ++found;
    }
    fclose(maps);
    return found;
}

int main(int argc, char** argv) {
    int rank, size, on_node, token = 1;
    char host[64];
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, node);
    gethostname(host, sizeof host);
    printf("rank %d of %d on %s: %d share, %s\n", rank, size, host, on_node,
           shared_segments() > 0 ? "mapped" : "nothing mapped");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    /* Not MPI_Finalize: MPICH 4.0.2 over UCX now and then does not come out of it here, with and
     * without commmap. */
    _exit(0);
}
