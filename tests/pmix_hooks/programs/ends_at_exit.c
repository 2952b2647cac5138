/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Calls MPI_Finalize in an exit handler that was registered before MPI_Init. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void end(void) {
    MPI_Finalize();
    puts("ended");
}

int main(int argc, char** argv) {
    atexit(end);
    MPI_Init(&argc, &argv);
    return 0;
}
