#include "spank_commmap/aside.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/base/descriptors.hpp"
#include "core/base/handle.hpp"

namespace commmap::spank {
namespace {

/// All but the end of the pipe, which is the first one behind the standard ones then.
void let_go_of_descriptors(int end_of_pipe) {
    constexpr int first = STDERR_FILENO + 1;
    // srun may have started without some of the standard descriptors
    const int end = ::fcntl(end_of_pipe, F_DUPFD, first);
    const int nothing = ::open("/dev/null", O_RDWR);
    if (end < 0 || nothing < 0) ::_exit(1);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, fd);
    ::dup2(end, first);
    close_from(first + 1);
}

}  // namespace

void do_aside(std::chrono::milliseconds longest, const std::function<void()>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    FileDescriptor reading(ends[0]);
    FileDescriptor writing(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        let_go_of_descriptors(writing.get());
        try {
            work();
        } catch (...) {  // or there would be a second srun
            ::_exit(1);
        }
        ::_exit(0);
    }
    if (child < 0) return;
    writing.reset();
    pollfd ended{reading.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(longest.count()));
}

}  // namespace commmap::spank
