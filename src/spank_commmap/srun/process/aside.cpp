// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/process/aside.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/descriptors.hpp"
#include "core/base/handle.hpp"

namespace commmap::spank {
namespace {

constexpr int end_of_pipe_in_child = STDERR_FILENO + 1;

/// Closes all descriptors but the end of the pipe, which becomes the first one behind the standard
/// ones.
void let_go_of_descriptors(int end_of_pipe) {
    // srun may have started without some of the standard descriptors
    const int end = ::fcntl(end_of_pipe, F_DUPFD, end_of_pipe_in_child);
    const int nothing = ::open("/dev/null", O_RDWR);
    if (end < 0 || nothing < 0) ::_exit(1);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, fd);
    ::dup2(end, end_of_pipe_in_child);
    close_from(end_of_pipe_in_child + 1);
}

struct Aside {
    pid_t child = -1;
    FileDescriptor reading;
};

/// @param work  what the child does
Aside begin_aside(const std::function<void()>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    FileDescriptor reading(ends[0]);
    const FileDescriptor writing(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        let_go_of_descriptors(writing.get());
        try {
            work();
        } catch (...) {  // else there would be a second srun
            ::_exit(1);
        }
        ::_exit(0);
    }
    return {child, std::move(reading)};
}

void wait_for(const Aside& aside, std::chrono::milliseconds longest) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + longest;
    pollfd ended{aside.reading.get(), POLLIN, 0};
    for (auto left = longest; left.count() > 0;) {
        if (::poll(&ended, 1, static_cast<int>(left.count())) >= 0 || errno != EINTR) return;
        left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    }
}

}  // namespace

void do_aside(std::chrono::milliseconds longest, const std::function<void()>& work) {
    const Aside aside = begin_aside(work);
    if (aside.child > 0) wait_for(aside, longest);
}

std::optional<bool> ask_aside(std::chrono::milliseconds longest,
                              const std::function<bool()>& question) {
    const Aside aside = begin_aside([&] {
        const char answer = question() ? 'y' : 'n';
        static_cast<void>(!::write(end_of_pipe_in_child, &answer, 1));
    });
    if (aside.child <= 0) return std::nullopt;
    wait_for(aside, longest);
    ::fcntl(aside.reading.get(), F_SETFL, O_NONBLOCK);
    char answer = 0;
    const ssize_t got = ::read(aside.reading.get(), &answer, 1);
    // A child that hangs in the kernel gets this signal when that is over. This process does not
    // wait for such a child.
    ::kill(aside.child, SIGKILL);
    ::waitpid(aside.child, nullptr, got >= 0 ? 0 : WNOHANG);
    if (got != 1) return std::nullopt;
    return answer == 'y';
}

}  // namespace commmap::spank
