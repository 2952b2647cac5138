// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/isolated_call.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "core/base/handle.hpp"

namespace commmap {
namespace {

constexpr int exit_out_of_memory = 2;
constexpr int exit_thrown = 3;

void limit(int resource, std::uint64_t most) {
    rlimit old{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &old) != 0) return;
    const rlim_t lower = std::min<rlim_t>(most, old.rlim_max);
    const rlimit now{lower, old.rlim_max};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

void limit_child(const CallLimits& limits) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, limits.cpu_seconds);
#if !defined(__SANITIZE_ADDRESS__)  // AddressSanitizer reserves terabytes
    limit(RLIMIT_AS, limits.memory_bytes);
#endif
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) ::dup2(null, fd);
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGXCPU})
        std::signal(signal, SIG_DFL);
}

[[noreturn]] void run_child(int result, const CallLimits& limits,
                            const std::function<std::string()>& work) {
    limit_child(limits);
    try {
        const std::string bytes = work();
        std::size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t written = ::write(result, bytes.data() + done, bytes.size() - done);
            if (written < 0 && errno != EINTR) ::_exit(exit_thrown);
            if (written > 0) done += static_cast<std::size_t>(written);
        }
    } catch (const std::bad_alloc&) {
        ::_exit(exit_out_of_memory);
    } catch (...) {
        ::_exit(exit_thrown);
    }
    ::_exit(0);  // a usual exit would flush the parent's buffers a second time
}

Error failed_with(int status, const CallLimits& limits) {
    std::string how = "failed";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        how = fmt::format("took longer than {} s", limits.cpu_seconds);
    else if (WIFSIGNALED(status))
        how = fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                          ::strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == exit_out_of_memory)
        how = fmt::format("needs more than {} MiB", limits.memory_bytes >> 20);
    return Error{Errc::library, how};
}

}  // namespace

Result<std::string> call_in_child(const CallLimits& limits,
                                  const std::function<std::string()>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return Error{Errc::io, std::string("cannot make a pipe: ") + std::strerror(errno)};
    const FileDescriptor from_child(ends[0]);
    FileDescriptor to_parent(ends[1]);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        return Error{Errc::io, std::string("cannot start a process: ") + std::strerror(errno)};
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(exit_thrown);  // the parent died before prctl()
        run_child(to_parent.get(), limits, work);
    }
    to_parent.reset();
    std::string result;
    bool too_long = false;
    char piece[65536];
    while (!too_long) {
        const ssize_t got = ::read(from_child.get(), piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        result.append(piece, static_cast<std::size_t>(got));
        too_long = result.size() > limits.result_bytes;
    }
    if (too_long) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (too_long)
        return Error{Errc::library,
                     fmt::format("has more than {} bytes to return", limits.result_bytes)};
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return failed_with(status, limits);
    return result;
}

}  // namespace commmap
