/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Preloaded into programs that print no time of their own: prints the seconds from the end of
 * MPI_Init to MPI_Finalize in the line that the benchmark programs print. The clock starts and
 * stops at a barrier, so that it is the slowest rank's.
 *
 * srun gets this library too, and has no MPI: all of MPI is weak here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#pragma weak ompi_mpi_comm_world
#pragma weak PMPI_Barrier
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_size

static double begin_s;
static int printed;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void start(void) {
    PMPI_Barrier(MPI_COMM_WORLD);
    begin_s = now_s();
}

/* Fortran's MPI_Finalize may call C's. */
static void stop(void) {
    int rank = 0, ranks = 0;
    if (printed) return;
    printed = 1;
    PMPI_Barrier(MPI_COMM_WORLD);
    const double elapsed_s = now_s() - begin_s;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank != 0) return;
    /* The program may have ended in the middle of a line. */
    printf(
        "\ncommmap-bench program=whole ranks=%d iterations=1 message_bytes=0 time_s=%.6f "
        "check=ok\n",
        ranks, elapsed_s);
    fflush(stdout);
}

int MPI_Init(int* argc, char*** argv) {
    int (*next)(int*, char***) = (int (*)(int*, char***))dlsym(RTLD_NEXT, "MPI_Init");
    const int result = next(argc, argv);
    start();
    return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    int (*next)(int*, char***, int, int*) =
        (int (*)(int*, char***, int, int*))dlsym(RTLD_NEXT, "MPI_Init_thread");
    const int result = next(argc, argv, required, provided);
    start();
    return result;
}

int MPI_Finalize(void) {
    int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
    stop();
    return next();
}

void mpi_init_(MPI_Fint* error) {
    void (*next)(MPI_Fint*) = (void (*)(MPI_Fint*))dlsym(RTLD_NEXT, "mpi_init_");
    next(error);
    start();
}

void mpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
    void (*next)(MPI_Fint*, MPI_Fint*, MPI_Fint*) =
        (void (*)(MPI_Fint*, MPI_Fint*, MPI_Fint*))dlsym(RTLD_NEXT, "mpi_init_thread_");
    next(required, provided, error);
    start();
}

void mpi_finalize_(MPI_Fint* error) {
    void (*next)(MPI_Fint*) = (void (*)(MPI_Fint*))dlsym(RTLD_NEXT, "mpi_finalize_");
    stop();
    next(error);
}
