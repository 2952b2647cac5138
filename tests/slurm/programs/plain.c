/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Knows nothing of MPI. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("task %s\n", getenv("SLURM_PROCID"));
    return 0;
}
