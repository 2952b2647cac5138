// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/memory_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace commmap {
namespace {

constexpr unsigned noexec_seal = 8;  // MFD_NOEXEC_SEAL
constexpr int exit_made = 200;
constexpr int exit_untried = 201;

/// What a kernel answers to memfd_create(2): an errno, or 0 where it makes the file.
struct Kernel {
    unsigned with_flag;
    unsigned without;
};

unsigned answer(unsigned error) {
    return error == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | error;
}

/// From now on this process has that kernel.
bool change_to(const Kernel& kernel) {
    // the flags are an unsigned int: the lower half of the second argument
    std::array<sock_filter, 7> rules = {
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 3),
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[1])),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, noexec_seal, 2, 0),
        sock_filter BPF_STMT(BPF_RET | BPF_K, answer(kernel.without)),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        sock_filter BPF_STMT(BPF_RET | BPF_K, answer(kernel.with_flag))};
    const sock_fprog program = {rules.size(), rules.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool kernel_knows_the_flag() {
    return FileDescriptor(::memfd_create("flag", noexec_seal)) || errno != EINVAL;
}

bool can_be_used(int fd) {
    return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0 && ::ftruncate(fd, 4096) == 0 &&
           ::write(fd, "text", 4) == 4;
}

/// In a child, which no call can give its old kernel back.
/// @return  exit_made, exit_untried, or the errno that the caller of memory_file() has seen
int made_with(const Kernel& kernel) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (kernel.with_flag == 0 && !kernel_knows_the_flag()) ::_exit(exit_untried);
        if (!change_to(kernel)) ::_exit(exit_untried);
        errno = 0;
        const FileDescriptor file = memory_file("test", MFD_CLOEXEC);
        ::_exit(!file ? errno : can_be_used(file.get()) ? exit_made : -1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MemoryFile, IsMadeWithoutAFlagThatTheKernelDoesNotKnow) {
    const int code = made_with({.with_flag = EINVAL, .without = 0});
    if (code == exit_untried) GTEST_SKIP() << "needs seccomp";
    EXPECT_EQ(code, exit_made);
}

TEST(MemoryFile, IsMadeWhereTheKernelInsistsOnTheFlag) {
    // as with vm.memfd_noexec=2
    const int code = made_with({.with_flag = 0, .without = EACCES});
    if (code == exit_untried) GTEST_SKIP() << "needs seccomp and Linux 6.3";
    EXPECT_EQ(code, exit_made);
}

TEST(MemoryFile, IsNotMadeWhereTheKernelRefusesBoth) {
    const int code = made_with({.with_flag = EINVAL, .without = EACCES});
    if (code == exit_untried) GTEST_SKIP() << "needs seccomp";
    EXPECT_EQ(code, EACCES);
}

TEST(MemoryFile, IsNotTriedAgainForAnotherReason) {
    const int code = made_with({.with_flag = EMFILE, .without = 0});
    if (code == exit_untried) GTEST_SKIP() << "needs seccomp";
    EXPECT_EQ(code, EMFILE);
}

}  // namespace
}  // namespace commmap
