/* Knows nothing of MPI. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("task %s\n", getenv("SLURM_PROCID"));
    return 0;
}
