/* Cost of a small send: ns per call, the 10th percentile of 4000 batches of 1000 calls. One rank.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { batches = 4000, calls = 1000 };
static double ns[batches];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}
static double tenth(void) {
    qsort(ns, batches, sizeof ns[0], by_value);
    return ns[batches / 10];
}

int main(int argc, char** argv) {
    char out[8] = {0}, in[8];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    for (int b = 0; b < batches; ++b) {
        const double start = now();
        for (int i = 0; i < calls; ++i)
            MPI_Send(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        ns[b] = (now() - start) / calls;
    }
    printf("send to MPI_PROC_NULL %.1f ns\n", tenth());
    for (int b = 0; b < batches; ++b) {
        const double start = now();
        for (int i = 0; i < calls; ++i) {
            MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Send(out, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        ns[b] = (now() - start) / calls;
    }
    printf("irecv + send + wait on itself %.1f ns\n", tenth());
    MPI_Finalize();
    return 0;
}
