/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* CPUs of an emulated node: as many as its class has, whatever the real machine has.
 *
 * On a node (DIRECTORY exists, in the node's private /dev/shm) an affinity mask is a statement, not
 * a restriction: sched_setaffinity() writes it down, sched_getaffinity() of the same process or of
 * its descendants reads it back, and the kernel stays free to run the process anywhere. Masks are
 * kept in files because slurmstepd sets the mask of a child that then executes another program.
 * hwloc is told the class's topology. Elsewhere: no effect. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "/dev/shm/.testbed"

struct record {
    unsigned long long start; /* of the process: a number may come again */
    cpu_set_t mask;
};

static int pus; /* 0: not on a node */

__attribute__((constructor)) static void enter(void) {
    char synthetic[1000];
    FILE* file = fopen(DIRECTORY "/topology", "re");
    if (!file) return;
    if (fscanf(file, "%d %999[^\n]", &pus, synthetic) == 2) {
        setenv("HWLOC_SYNTHETIC", synthetic, 0);
        setenv("HWLOC_THISSYSTEM", "1", 0);
    }
    fclose(file);
}

static void name_of(pid_t pid, char* path) { sprintf(path, DIRECTORY "/%d", (int)pid); }

__attribute__((destructor)) static void leave(void) {
    char path[64];
    name_of(getpid(), path);
    if (pus && gettid() == getpid()) unlink(path);
}

/* start time and parent of a process; 0 when there is none */
static int look(pid_t pid, unsigned long long* start, pid_t* parent) {
    char path[64], text[1024], *end;
    int fd, length;
    sprintf(path, "/proc/%d/stat", (int)pid);
    if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) return 0;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) return 0;
    text[length] = 0;
    end = strrchr(text, ')');
    return end &&
           sscanf(
               end + 1,
               " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               parent, start) == 2;
}

static int recall(pid_t pid, unsigned long long start, cpu_set_t* mask) {
    char path[64];
    struct record record;
    int fd, length;
    name_of(pid, path);
    if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) return 0;
    length = read(fd, &record, sizeof record);
    close(fd);
    if (length != sizeof record || record.start != start) return 0;
    *mask = record.mask;
    return 1;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* mask) {
    static int (*real)(pid_t, size_t, const cpu_set_t*);
    struct record record = {0};
    char path[64];
    pid_t parent;
    int i, fd, written;
    if (!pus) {
        if (!real)
            real = (int (*)(pid_t, size_t, const cpu_set_t*))dlsym(RTLD_NEXT, "sched_setaffinity");
        return real(pid, size, mask);
    }
    if (pid == 0) pid = gettid();
    for (i = 0; i < pus && i < CPU_SETSIZE; i++)
        if (CPU_ISSET_S(i, size, mask)) CPU_SET(i, &record.mask);
    if (CPU_COUNT(&record.mask) == 0) return errno = EINVAL, -1;
    if (!look(pid, &record.start, &parent)) return errno = ESRCH, -1;
    name_of(pid, path);
    if ((fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0) return -1;
    fchmod(fd, 0666); /* root binds the task, its user may bind it again */
    written = write(fd, &record, sizeof record);
    close(fd);
    return written == sizeof record ? 0 : (errno = EIO, -1);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t* mask) {
    static int (*real)(pid_t, size_t, cpu_set_t*);
    unsigned long long start;
    cpu_set_t found;
    pid_t parent = 0;
    int i, self = pid == 0;
    if (!pus) {
        if (!real) real = (int (*)(pid_t, size_t, cpu_set_t*))dlsym(RTLD_NEXT, "sched_getaffinity");
        return real(pid, size, mask);
    }
    if (self) pid = gettid();
    if (!look(pid, &start, &parent)) return errno = ESRCH, -1;
    CPU_ZERO(&found);
    if (!recall(pid, start, &found)) {
        if (self && pid != getpid()) parent = getpid(); /* a thread inherits from its process */
        while (parent > 1 && look(pid = parent, &start, &parent))
            if (recall(pid, start, &found)) break;
    }
    if (CPU_COUNT(&found) == 0)
        for (i = 0; i < pus && i < CPU_SETSIZE; i++) CPU_SET(i, &found);
    memset(mask, 0, size);
    memcpy(mask, &found, size < sizeof found ? size : sizeof found);
    return 0;
}
