/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* MPI by sessions alone: no MPI_Init, no MPI_COMM_WORLD. */
#include <mpi.h>
#include <stdio.h>

int main(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, size, sum = 0;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 2;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (rank == 0) printf("%d ranks, sum %d\n", size, sum);
    return 0;
}
