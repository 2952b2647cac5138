/* What `scripts/bench launch` launches. Partners are half the world apart, so that a record of it
 * makes a plan; with an argument it ends before MPI_Init, so that only the launch is timed. */
#include <mpi.h>
#include <string.h>

enum { BYTES = 20000, ROUNDS = 20 };

int main(int argc, char** argv) {
    static char out[BYTES], in[BYTES];
    int rank, size, round;
    if (argc > 1) return 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (round = 0; round < ROUNDS; round++)
        MPI_Sendrecv(out, BYTES, MPI_CHAR, (rank + size / 2) % size, 0, in, BYTES, MPI_CHAR,
                     (rank + size / 2) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
