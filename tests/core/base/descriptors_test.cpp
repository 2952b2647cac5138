// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/descriptors.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace commmap {
namespace {

constexpr int exit_untried = 77;

/// From now on this process has a kernel without close_range().
bool lose_close_range() {
    std::array<sock_filter, 4> rules = {
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program = {rules.size(), rules.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

/// In a child, for it closes the test's own files: more than a list of one block holds, and one
/// with a high number.
int closes_all(bool with_close_range) {
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr int many = 500;
        rlimit files{};
        ::getrlimit(RLIMIT_NOFILE, &files);
        files.rlim_cur = files.rlim_max;
        if (::setrlimit(RLIMIT_NOFILE, &files) != 0) ::_exit(2);
        const int highest = static_cast<int>(std::min<rlim_t>(files.rlim_cur, 90001)) - 1;
        if (!with_close_range && !lose_close_range()) ::_exit(exit_untried);
        const int first = ::open("/dev/null", O_RDONLY);
        for (int i = 0; i < many; ++i)
            if (::dup(first) < 0) ::_exit(2);
        if (::dup2(first, highest) < 0) ::_exit(2);
        close_from(first + 1);
        bool all = is_open(first) && !is_open(highest);
        for (int i = 1; i <= many; ++i) all = all && !is_open(first + i);
        ::_exit(all ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Descriptors, ClosesAllFromOneOn) {
    for (const bool with_close_range : {true, false}) {
        const int code = closes_all(with_close_range);
        if (code == exit_untried) GTEST_SKIP() << "needs seccomp";
        EXPECT_EQ(code, 0) << with_close_range;
    }
}

}  // namespace
}  // namespace commmap
