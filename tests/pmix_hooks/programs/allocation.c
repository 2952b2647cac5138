/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Calls of the heap during sends, counted by this program's own malloc. Prints the number per 1000
   sends after the first message to a peer, once with and once without recording: both must be the
   same, so it is compared outside. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
static volatile long calls;
void* malloc(size_t n) {
    ++calls;
    return __libc_malloc(n);
}
void* calloc(size_t n, size_t m) {
    ++calls;
    return __libc_calloc(n, m);
}
void* realloc(void* p, size_t n) {
    ++calls;
    return __libc_realloc(p, n);
}

int main(int argc, char** argv) {
    int rank, size;
    char out[64] = {0}, in[64];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int peer = rank ^ 1;
    long during = 0;
    MPI_Request persistent;
    MPI_Send_init(out, 8, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &persistent);
    for (int i = 0; i < 1100; ++i) {
        if (i == 100) {
            MPI_Barrier(MPI_COMM_WORLD);
            calls = 0;
        }
        MPI_Irecv(in, 64, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request);
        const long before = calls;
        MPI_Send(out, i % 64, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
        during += i >= 100 ? calls - before : 0;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 64, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &request);
        const long before_start = calls;
        MPI_Start(&persistent);
        during += i >= 100 ? calls - before_start : 0;
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&persistent);
    printf("heap calls %ld\n", during);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
