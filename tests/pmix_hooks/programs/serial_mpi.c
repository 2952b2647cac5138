/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* A library that brings a serial stand-in for MPI of its own, as sequential MUMPS does, loaded as
 * Python loads one: its calls must get there although the recorder has a function of that name. */
#ifdef SERIAL_MPI_PLUGIN
void mpi_allreduce_(const int* send, int* receive, const int* count, const int* type, const int* op,
                    const int* comm, int* error);

void mpi_allreduce_(const int* send, int* receive, const int* count, const int* type, const int* op,
                    const int* comm, int* error) {
    (void)type, (void)op, (void)comm;
    for (int i = 0; i < *count; ++i) receive[i] = send[i];
    *error = 0;
}

int reduced(void);
int reduced(void) {
    const int send = 7, one = 1, nine = 9;
    int receive = 0, error = 5;
    mpi_allreduce_(&send, &receive, &one, &nine, &nine, &nine, &error);
    return error == 0 ? receive : -1;
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    void* library = dlopen(SERIAL_MPI, RTLD_NOW | RTLD_LOCAL);
    int (*reduced)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, "reduced");
    printf("%d\n", reduced == NULL ? -2 : reduced());
    return 0;
}
#endif
