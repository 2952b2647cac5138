/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Each rank exchanges messages with the one half the world away: under block placement every
 * message leaves its node. shifted_ring [BYTES [ROUNDS [EXIT_CODE]]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
    int rank, size, round, bytes = argc > 1 ? atoi(argv[1]) : 20000,
                           rounds = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char* out = malloc((size_t)bytes);
    char* in = malloc((size_t)bytes);
    int partner = (rank + size / 2) % size, wrong = 0;
    memset(out, rank + 1, (size_t)bytes);
    for (round = 0; round < rounds; round++)
        MPI_Sendrecv(out, bytes, MPI_CHAR, partner, 0, in, bytes, MPI_CHAR, partner, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong = in[0] != (char)(partner + 1);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d of %d on %s: %s\n", rank, size, getenv("SLURMD_NODENAME"),
           wrong ? "wrong" : "right");
    MPI_Finalize();
    free(in);
    free(out);
    return argc > 3 ? atoi(argv[3]) : 0;
}
