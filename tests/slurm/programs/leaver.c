/* All ranks but one end through MPI_Finalize; rank 3, or the one that is named, leaves in another
 * way. leaver exit0|exit3|abort|kill|finalize [RANK] */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "finalize";
    const int leaver = argc > 2 ? atoi(argv[2]) : 3;
    const int speaker = leaver == 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == leaver) {
        if (strcmp(way, "exit0") == 0) _exit(0);
        if (strcmp(way, "exit3") == 0) _exit(3);
        if (strcmp(way, "abort") == 0) abort();
        if (strcmp(way, "kill") == 0) raise(SIGKILL);
    }
    MPI_Finalize();
    if (rank == speaker) printf("rank %d is done\n", rank);
    return 0;
}
