#include "cli/left_behind.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>

#include "core/base/handle.hpp"

namespace commmap::cli {
namespace {

void end_after(__itimer_which timer, int signal, double seconds) {
    ::signal(signal, SIG_DFL);
    struct itimerval time {};
    time.it_value.tv_sec = static_cast<time_t>(seconds);
    time.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
    ::setitimer(timer, &time, nullptr);
}

}  // namespace

bool is_left_behind(double used_seconds) {
    const pid_t child = ::fork();
    if (child > 0) ::setpgid(child, child);  // before this process ends, and its group is killed
    if (child != 0) return false;
    ::setpgid(0, 0);
    end_after(ITIMER_PROF, SIGPROF, used_seconds);
    end_after(ITIMER_REAL, SIGALRM, 20.0 * used_seconds);
    constexpr int lowest = 19;
    ::setpriority(PRIO_PROCESS, 0, lowest);
    const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nothing) ::_exit(1);  // who reads the parent's output would wait for this process
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(nothing.get(), stream);
    return true;
}

}  // namespace commmap::cli
