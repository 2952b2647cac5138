// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/left_behind.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>

#include "cli/plan/timeval_of.hpp"
#include "core/base/descriptors.hpp"

namespace commmap::cli {
namespace {

constexpr double longest_s = 10.0;
constexpr double longest_cpu_s = 0.1;

void unblock(int signal) {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, signal);
    ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

/// Closes all descriptors, so that nobody waits for the end of a pipe that the asked process had.
void let_go_of_descriptors() {
    const int nothing = ::open("/dev/null", O_RDWR);
    if (nothing < 0) ::_exit(1);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
    close_from(STDERR_FILENO + 1);
}

void end_after(int timer, int signal, double seconds) {
    ::signal(signal, SIG_DFL);
    unblock(signal);
    const itimerval once{{}, timeval_of(seconds)};
    ::setitimer(timer, &once, nullptr);
}

std::atomic<bool> time_is_up = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_time(int /*signal*/) {
    if (time_is_up.exchange(true)) ::_exit(1);  // at the second signal
}

}  // namespace

Process leave_process_behind() {
    const pid_t child = ::fork();
    // before this process ends, and its group is killed
    if (child > 0) ::setpgid(child, child);
    if (child != 0) return Process::asked;
    ::setpgid(0, 0);
    let_go_of_descriptors();
    end_after(ITIMER_REAL, SIGALRM, longest_s);
    end_after(ITIMER_PROF, SIGPROF, longest_cpu_s);
    constexpr int lowest = 19;
    ::setpriority(PRIO_PROCESS, 0, lowest);
    return Process::left_behind;
}

Deadline deadline_by_cpu_time(double seconds) {
    struct sigaction action {};
    action.sa_handler = note_time;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPROF, &action, nullptr);
    unblock(SIGPROF);
    const itimerval twice{timeval_of(seconds), timeval_of(seconds)};
    ::setitimer(ITIMER_PROF, &twice, nullptr);
    return Deadline().or_when(time_is_up);
}

}  // namespace commmap::cli
