/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* Each rank sends 5 messages of 100 bytes to the next one. Then all end through MPI_Finalize but
 * rank 3, or the one that is named, which leaves in another way (no_memory: it takes memory until
 * there is no more, and aborts; much_memory: it takes a gigabyte, for which it is killed); with
 * wait, all wait for a signal, with small_files none may write a file of more than 100 bytes from
 * then on, with group_memory it writes its process number to FILE, and takes memory until it is
 * killed once it has been put into the group "commmap-full". With fork the rank's child sends what
 * is not its own to send. With reuse each rank has closed what it was handed before MPI_Init, and
 * has a file as long of its own there: FILE.ITS_NUMBER. leaver
 * exit0|exit3|abort|kill|no_memory|much_memory|group_memory|mpi_abort|wait|small_files|
 *        fork|reuse|finalize [RANK] [FILE] */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(int resource, rlim_t most) {
    const struct rlimit limits = {most, most};
    if (setrlimit(resource, &limits) != 0) perror("setrlimit");
}

static void take_all_memory(void) {
    const size_t some = 1 << 20;
    limit(RLIMIT_AS, (rlim_t)4 << 30);
    for (char* memory; (memory = malloc(some)) != NULL;)
        memory[0] = 1; /* a page of each is there */
    abort();
}

static int is_in_full_group(void) {
    static char groups[8192];
    FILE* file = fopen("/proc/self/cgroup", "r");
    const size_t length = file == NULL ? 0 : fread(groups, 1, sizeof groups - 1, file);
    groups[length] = 0;
    if (file != NULL) fclose(file);
    return strstr(groups, "commmap-full") != NULL;
}

static void take_much_memory(void) {
    const size_t all = (size_t)1 << 30;
    volatile char* memory = malloc(all);
    for (size_t i = 0; i < all; i += 4096) memory[i] = 1;
    puts("there was enough memory");
}

static void take_memory_of_group(const char* name) {
    FILE* file = fopen(name, "w");
    if (file == NULL) perror(name), abort();
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    for (int tries = 0; !is_in_full_group(); ++tries) {
        if (tries == 60000) puts("nobody puts this process into a group"), exit(1);
        usleep(10000);
    }
    take_much_memory();
}

/* To itself, of which only this process knows. */
static void send_from_child(int rank) {
    int out = 1, in = 0;
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; ++i)
            MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        _exit(in == 1 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) printf("the child ended with %d\n", status);
}

static void reuse_descriptor(const char* prefix) {
    const char* handed = getenv("COMMMAP_RECORD_MEMORY");
    if (handed == NULL) return;
    const int number = atoi(handed);
    char name[4096];
    struct stat status;
    snprintf(name, sizeof name, "%s.%s", prefix, getenv("SLURM_PROCID"));
    const int file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fstat(number, &status) != 0 || ftruncate(file, status.st_size) != 0 ||
        dup2(file, number) != number)
        perror(name), abort();
}

int main(int argc, char** argv) {
    const char* way = argc > 1 ? argv[1] : "finalize";
    const int leaver = argc > 2 ? atoi(argv[2]) : 3;
    const int speaker = leaver == 0;
    static char out[100], in[100];
    int rank, size;
    if (strcmp(way, "reuse") == 0) reuse_descriptor(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 5; ++i)
        MPI_Sendrecv(out, 100, MPI_BYTE, (rank + 1) % size, 0, in, 100, MPI_BYTE,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "wait") == 0) {
        if (speaker) puts("all are there");
        fflush(stdout);
        for (;;) pause();
    }
    if (strcmp(way, "mpi_abort") == 0) {
        if (rank == leaver) MPI_Abort(MPI_COMM_WORLD, 42);
        for (;;) pause();
    }
    if (rank == leaver) {
        if (strcmp(way, "exit0") == 0) _exit(0);
        if (strcmp(way, "exit3") == 0) _exit(3);
        if (strcmp(way, "abort") == 0) abort();
        if (strcmp(way, "kill") == 0) raise(SIGKILL);
        if (strcmp(way, "no_memory") == 0) take_all_memory();
        if (strcmp(way, "much_memory") == 0) take_much_memory();
        if (strcmp(way, "fork") == 0) send_from_child(rank);
        if (strcmp(way, "group_memory") == 0) take_memory_of_group(argv[3]);
    }
    if (strcmp(way, "small_files") == 0) limit(RLIMIT_FSIZE, 100);
    MPI_Finalize();
    if (rank == speaker) printf("rank %d is done\n", rank);
    return 0;
}
