#include "spank_commmap/aside.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <climits>

#include "core/base/handle.hpp"

namespace commmap::spank {
namespace {

void let_go_of_descriptors(int but) {
    constexpr int standard[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : standard) {
        if (nothing < 0 || ::dup2(nothing, fd) < 0) ::close(fd);
    }
    constexpr unsigned first = STDERR_FILENO + 1;
    const auto kept = static_cast<unsigned>(but);
    if (kept > first) ::close_range(first, kept - 1, 0);
    ::close_range(kept + 1, UINT_MAX, 0);
}

}  // namespace

void do_aside(std::chrono::milliseconds longest, const std::function<void()>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    FileDescriptor reading(ends[0]);
    FileDescriptor writing(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        // srun may have started without some of the standard descriptors
        const int end = ::fcntl(writing.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (end < 0) ::_exit(1);
        let_go_of_descriptors(end);
        work();
        ::_exit(0);
    }
    if (child < 0) return;
    writing.reset();
    pollfd ended{reading.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(longest.count()));
}

}  // namespace commmap::spank
