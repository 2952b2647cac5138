// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/process_state.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace commmap::spank {
namespace {

bool closes_on_exec(int fd) { return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0; }

bool is_blocked(int number) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return ::sigismember(&mask, number) == 1;
}

/// What a process makes of its signals, limits and descriptors, and what is left of it.
int changed_and_restored() {
    const int before = ::open("/dev/null", O_RDONLY);
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    ::signal(SIGUSR2, SIG_IGN);
    const ProcessState at_start = ProcessState::now();

    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    ::signal(SIGUSR1, SIG_IGN);
    ::signal(SIGUSR2, SIG_DFL);
    const rlimit fewer{files.rlim_cur - 1, files.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &fewer);
    const int kept = ::open("/dev/null", O_RDONLY);
    const int other = ::open("/dev/null", O_RDONLY);

    at_start.restore_for_exec({kept});

    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    if (is_blocked(SIGTERM)) return 1;
    if (::signal(SIGUSR1, SIG_DFL) != SIG_DFL) return 2;
    if (::signal(SIGUSR2, SIG_DFL) != SIG_IGN) return 3;
    if (now.rlim_cur != files.rlim_cur) return 4;
    if (closes_on_exec(before) || closes_on_exec(kept)) return 5;
    if (!closes_on_exec(other)) return 6;
    return 0;
}

TEST(ProcessState, SignalsLimitsAndDescriptorsAreAsTheyWere) {
    const pid_t child = ::fork();  // the test itself keeps its own
    if (child == 0) ::_exit(changed_and_restored());
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace commmap::spank
