#include "spank_commmap/planner_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/base/handle.hpp"
#include "spank_commmap/words.hpp"

namespace commmap::spank {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
constexpr auto tick = std::chrono::milliseconds(20);
constexpr std::size_t most_error_bytes = 2048;
constexpr int exec_failed = 127;

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
    struct rlimit now {};
    if (::getrlimit(resource, &now) != 0) return;
    now.rlim_max = std::min(now.rlim_max, hard);
    now.rlim_cur = std::min({now.rlim_cur, now.rlim_max, soft});
    ::setrlimit(resource, &now);
}

/// Runs in the child between fork and exec of a process that may have threads: system calls only,
/// no allocation.
[[noreturn]] void become_planner(char** argv, char** environment, int output, int errors,
                                 pid_t parent, const PlannerLimits& limits) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(exec_failed);  // it died before the line above
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int input = ::open("/dev/null", O_RDONLY);
    // The pipes' ends are above 2 unless srun was started with a standard stream closed; dup2 in an
    // order that never overwrites one that is still needed.
    const int safe_output = ::fcntl(output, F_DUPFD, 3);
    const int safe_errors = ::fcntl(errors, F_DUPFD, 3);
    if (input != 0) ::dup2(input, 0);
    ::dup2(safe_output, 1);
    ::dup2(safe_errors, 2);
    if (::syscall(SYS_close_range, 3U, ~0U, 0U) != 0) {
        struct rlimit files {};
        const rlim_t count = ::getrlimit(RLIMIT_NOFILE, &files) == 0
                                 ? std::min<rlim_t>(files.rlim_cur, 65536)
                                 : 1024;
        for (int fd = 3; fd < static_cast<int>(count); ++fd) ::close(fd);
    }
    const rlim_t memory = static_cast<rlim_t>(limits.memory_mib) << 20;
    limit(RLIMIT_AS, memory, memory);
    limit(RLIMIT_CPU, limits.seconds + 1, limits.seconds + 2);
    limit(RLIMIT_CORE, 0, 0);
    ::execve(argv[0], argv, environment);
    const char* const why =
        std::strerror(errno);  // NOLINT: the text is static for the errors of execve
    [[maybe_unused]] ssize_t written = ::write(2, "cannot be run: ", 15);
    written = ::write(2, why, std::strlen(why));
    ::_exit(exec_failed);
}

/// Reads what is there. False at the end of the stream or when `keep` is exceeded and the rest
/// counts as an error.
enum class Drain { open, closed, too_much };
Drain drain(int fd, std::string& into, std::size_t keep, bool drop_rest) {
    std::array<char, 65536> block;
    // a few blocks at a time: a child that writes faster than we read must not keep us from the
    // deadline
    for (int blocks = 0; blocks < 16; ++blocks) {
        const ssize_t got = ::read(fd, block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN ? Drain::open : Drain::closed;
        if (got == 0) return Drain::closed;
        const std::size_t room = keep - into.size();
        const auto size = static_cast<std::size_t>(got);
        into.append(block.data(), std::min(room, size));
        if (size > room && !drop_rest) return Drain::too_much;
    }
    return Drain::open;
}

std::string first_line_of(const std::string& text) {
    const auto begin = text.find_first_not_of("\r\n");
    if (begin == std::string::npos) return "";
    return text.substr(begin,
                       std::min<std::size_t>(text.find_first_of("\r\n", begin) - begin, 300));
}

class Planner {
public:
    Planner(pid_t pid, FileDescriptor output, FileDescriptor errors, const PlannerLimits& limits)
        : pid_(pid), output_(std::move(output)), errors_(std::move(errors)), limits_(limits) {}
    Planner(const Planner&) = delete;
    Planner& operator=(const Planner&) = delete;
    ~Planner() { end_group(); }

    PlannerResult wait() {
        const Clock::time_point deadline = Clock::now() + std::chrono::seconds(limits_.seconds);
        sigset_t ending;
        ::sigemptyset(&ending);
        for (const int number : ending_signals) ::sigaddset(&ending, number);
        // Only tells that a signal is pending; it is never read, so the signal stays for srun.
        const FileDescriptor signals(::signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
        for (;;) {
            reap();
            const bool finished =
                ended_;  // before draining: all that it wrote is in the pipe by now
            if (drain_output() == Drain::too_much)
                return failed("printed more than " + std::to_string(limits_.output_bytes) +
                              " bytes");
            if (finished) return conclude();
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
            if (left.count() <= 0)
                return failed("took longer than " + std::to_string(limits_.seconds) + " s");
            std::array<pollfd, 3> watched = {pollfd{output_.get(), POLLIN, 0},
                                             pollfd{errors_.get(), POLLIN, 0},
                                             pollfd{signals.get(), POLLIN, 0}};
            ::poll(watched.data(), watched.size(), static_cast<int>(std::min(left, tick).count()));
            if ((watched[2].revents & POLLIN) != 0)
                return {PlannerResult::End::interrupted, "", "interrupted"};
        }
    }

private:
    void reap() {
        if (ended_) return;
        siginfo_t seen{};
        const int looked =
            ::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT);
        if (looked == 0 && seen.si_pid == pid_) {
            end_group();
        } else if (looked != 0 && errno == ECHILD) {
            // SIGCHLD is ignored in this process and the kernel took the status: the answer must
            // speak for itself.
            ended_ = true;
            status_ = 0;
        }
    }

    /// Kills what the planner started together with it. Before its status is taken: from then on
    /// its number may be another's.
    void end_group() {
        if (ended_) return;
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
        ended_ = true;
    }

    Drain drain_output() {
        if (errors_ && drain(errors_.get(), error_text_, most_error_bytes, true) == Drain::closed)
            errors_.reset();
        if (!output_) return Drain::closed;
        const Drain state = drain(output_.get(), text_, limits_.output_bytes, false);
        if (state == Drain::closed) output_.reset();
        return state;
    }

    PlannerResult conclude() {
        const std::string said = first_line_of(error_text_);
        if (WIFSIGNALED(status_)) {
            const int number = WTERMSIG(status_);
            return failed("was killed by signal " + std::to_string(number) + " (" +
                          ::strsignal(number) + ")" + (said.empty() ? "" : ": " + said));
        }
        const int code = WEXITSTATUS(status_);
        if (code == exec_failed && said.starts_with("cannot be run")) return failed(said);
        if (code != 0)
            return failed("failed with exit code " + std::to_string(code) +
                          (said.empty() ? "" : ": " + said));
        return {PlannerResult::End::answered, std::move(text_), ""};
    }

    static PlannerResult failed(std::string reason) {
        return {PlannerResult::End::failed, "", std::move(reason)};
    }

    pid_t pid_;
    FileDescriptor output_;
    FileDescriptor errors_;
    const PlannerLimits& limits_;
    std::string text_;
    std::string error_text_;
    int status_ = 0;
    bool ended_ = false;
};

}  // namespace

std::vector<std::string> planner_environment() {
    std::vector<std::string> kept;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (text.starts_with("LD_") || text.starts_with("GLIBC_TUNABLES=") ||
            text.starts_with("COMMMAP"))
            continue;
        kept.emplace_back(text);
    }
    return kept;
}

PlannerResult run_planner(const std::vector<std::string>& argv, const PlannerLimits& limits) {
    const auto cannot = [](const char* what, int error) {
        return PlannerResult{PlannerResult::End::failed, "",
                             std::string(what) + ": " + std::strerror(error)};
    };
    if (argv.empty() || !argv.front().starts_with('/')) {
        return {PlannerResult::End::failed, "", "has no absolute path"};
    }
    std::vector<std::string> words = argv;
    std::vector<std::string> variables = planner_environment();
    std::vector<char*> word_pointers = pointers_to(words);
    std::vector<char*> variable_pointers = pointers_to(variables);
    auto output = make_pipe();
    auto errors = make_pipe();
    if (!output || !errors) return cannot("could not be started: no pipe", errno);
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return cannot("could not be started", errno);
    if (child == 0)
        become_planner(word_pointers.data(), variable_pointers.data(), output->write.get(),
                       errors->write.get(), self, limits);
    ::setpgid(child,
              child);  // here too: killing the group must not come before the child has made it
    output->write.reset();
    errors->write.reset();
    ::fcntl(output->read.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(errors->read.get(), F_SETFL, O_NONBLOCK);
    Planner planner(child, std::move(output->read), std::move(errors->read), limits);
    return planner.wait();
}

void end_by_pending_signal() {
    sigset_t pending;
    ::sigpending(&pending);
    for (const int number : {SIGTERM, SIGHUP, SIGQUIT}) {
        if (::sigismember(&pending, number) != 1) continue;
        ::signal(number, SIG_DFL);
        sigset_t one;
        ::sigemptyset(&one);
        ::sigaddset(&one, number);
        ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);  // it is delivered here
    }
}

}  // namespace commmap::spank
