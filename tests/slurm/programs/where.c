/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* One line per rank: "rank R of N on HOST, CPUs 0 2 ", the CPUs being those of its affinity mask.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int rank, size, cpu, length;
    char host[64];
    char line[512];
    cpu_set_t mask;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    gethostname(host, sizeof host);
    sched_getaffinity(0, sizeof mask, &mask);
    length = snprintf(line, sizeof line, "rank %d of %d on %s, CPUs ", rank, size, host);
    for (cpu = 0; cpu < 64; ++cpu) {
        if (CPU_ISSET(cpu, &mask))
            length += snprintf(line + length, sizeof line - (size_t)length, "%d ", cpu);
    }
    line[length++] = '\n';
    /* in one piece: launchers mix what comes in several */
    if (write(1, line, (size_t)length) != length) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
#ifdef MPICH_VERSION
    /* MPICH 4.0.2 over UCX now and then does not come out of MPI_Finalize here, with and without
     * commmap. */
    _exit(0);
#endif
    MPI_Finalize();
    return 0;
}
