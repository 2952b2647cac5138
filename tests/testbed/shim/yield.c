/* SPDX-FileCopyrightText: The commmap authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* More ranks than CPUs: a rank that waits must not keep the CPU from one that works.
 *
 * With mpi_yield_when_idle Open MPI's progress loop calls sched_yield() whenever it found nothing
 * to do. Here that sleeps for 40 us instead, so waiting ranks use (almost) no CPU and runs become
 * bound by the emulated network. MPICH (UCX) never yields but polls with a time-out of 0: many such
 * polls in a row that find nothing, and no sched_yield() between them, sleep too.
 *
 * A patient testbed (LONGEST_NS above SLEEP_NS) makes a rank's sleeps longer the longer the rank
 * waits: an eighth of the time since it last worked. 16 ranks that wake every 40 us keep a CPU
 * busy. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

#ifndef LONGEST_NS
#define LONGEST_NS 40000
#endif

enum { SLEEP_NS = 40000, WORKED_NS = 40000, SLACK_NS = 1000, EMPTY_POLLS = 32 };

static __thread int slack_set, empty_polls;
static __thread long long waits_since, last_nap_ended;

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* A rank that took longer than an empty look at its messages takes has worked in between. */
static long length_of_nap(void) {
    if (LONGEST_NS <= SLEEP_NS) return SLEEP_NS;
    const long long now = now_ns();
    if (now - last_nap_ended > WORKED_NS) waits_since = now;
    const long long wanted = (now - waits_since) / 8;
    return wanted < SLEEP_NS ? SLEEP_NS : wanted > LONGEST_NS ? LONGEST_NS : (long)wanted;
}

static void nap(void) {
    const struct timespec time = {0, length_of_nap()};
    if (!slack_set) {
        prctl(PR_SET_TIMERSLACK, SLACK_NS);
        slack_set = 1;
    }
    nanosleep(&time, 0);
    if (LONGEST_NS > SLEEP_NS) last_nap_ended = now_ns();
}

int sched_yield(void) {
    empty_polls = 0;
    nap();
    return 0;
}

static int polled(int found, int timeout) {
    if (found != 0 || timeout != 0)
        empty_polls = 0;
    else if (++empty_polls > EMPTY_POLLS)
        nap();
    return found;
}

int epoll_wait(int fd, struct epoll_event* events, int max, int timeout) {
    static int (*real)(int, struct epoll_event*, int, int);
    if (!real) real = (int (*)(int, struct epoll_event*, int, int))dlsym(RTLD_NEXT, "epoll_wait");
    return polled(real(fd, events, max, timeout), timeout);
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
    static int (*real)(struct pollfd*, nfds_t, int);
    if (!real) real = (int (*)(struct pollfd*, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    return polled(real(fds, count, timeout), timeout);
}
