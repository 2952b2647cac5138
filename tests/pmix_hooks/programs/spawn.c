/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Starts two more of itself, which answer with a message: what is recorded is of those that were
 * there before. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm other;
    int rank, number = 0;
    MPI_Comm_get_parent(&other);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (other != MPI_COMM_NULL) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, other);
    } else {
        int size;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
        for (int i = 0; i < 2 && rank == 0; ++i)
            MPI_Recv(&number, 1, MPI_INT, i, 0, other, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&number, 1, MPI_INT, (rank + 1) % size, 0, &number, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0) printf("all answered\n");
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
