// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/limited_program.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/descriptors.hpp"
#include "core/base/handle.hpp"
#include "core/base/memory_file.hpp"
#include "core/base/number.hpp"
#include "core/text/one_line.hpp"
#include "spank_commmap/process/argv_pointers.hpp"
#include "spank_commmap/process/ending_signals.hpp"
#include "spank_commmap/process/trusted_program.hpp"

namespace commmap::spank {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto tick = std::chrono::milliseconds(20);
constexpr std::size_t most_error_bytes = 2048;
constexpr int exec_failed = 127;
constexpr int exec_refused = 126;

struct Pipe {
    FileDescriptor read;
    FileDescriptor write;
};

std::optional<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Returns a file in memory, to be read from its start; none: see errno.
FileDescriptor file_in_memory(std::string_view content) {
    FileDescriptor file = memory_file("commmap-input", MFD_CLOEXEC);
    while (file && !content.empty()) {
        const ssize_t written = ::write(file.get(), content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return {};
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (file && ::lseek(file.get(), 0, SEEK_SET) != 0) return {};
    return file;
}

void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
    struct rlimit now {};
    if (::getrlimit(resource, &now) != 0) return;
    now.rlim_max = std::min(now.rlim_max, hard);
    now.rlim_cur = std::min({now.rlim_cur, now.rlim_max, soft});
    ::setrlimit(resource, &now);
}

/// Ends the child with an error. Uses system calls only: the error is a number, which the parent
/// translates (in_words()).
[[noreturn]] void fail(int errors, const char* what) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), errno).ptr;
    [[maybe_unused]] ssize_t written = ::write(errors, what, std::strlen(what));
    written = ::write(errors, ": ", 2);
    written = ::write(errors, digits.data(), static_cast<std::size_t>(end - digits.data()));
    ::_exit(exec_failed);
}

/// Ends the child because its program can be changed by others. Uses system calls only.
[[noreturn]] void refuse(int errors, const char* place) {
    constexpr const char* after =
        "'; what root starts must be root's alone, or who owns the plugin's, with all folders "
        "above it";
    [[maybe_unused]] ssize_t written = 0;
    for (const char* part : {"cannot be run: others than root can change '", place, after})
        written = ::write(errors, part, std::strlen(part));
    ::_exit(exec_refused);
}

/// Translates the text that fail() has written.
std::string in_words(const std::string& said) {
    const auto colon = said.rfind(": ");
    const auto number = parse_number(colon == std::string::npos ? "" : said.substr(colon + 2));
    if (!number || *number > INT_MAX) return said;
    return said.substr(0, colon + 2) + std::strerror(static_cast<int>(*number));
}

/// Undoes the protection that a process of root's may have where memory is short. Uses system calls
/// only.
void be_ended_like_any_other() {
    const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    [[maybe_unused]] const ssize_t written = ::write(file, "0", 1);
    ::close(file);
}

/// Closes all other descriptors. Uses system calls only.
/// @param kept     ascending
/// @param program  closed at exec; -1: none
void close_others(std::span<const int> kept, int program) {
    int next = 3;
    const auto close_until = [&](int end) {
        for (; next < end; ++next)
            if (next != program) ::close(next);
    };
    for (const int fd : kept) {
        close_until(fd);
        ::fcntl(fd, F_SETFD, 0);
        next = fd + 1;
    }
    close_until(program + 1);
    close_from(next);
}

/// Opens the program. If this process is root, only a program that root alone can change is opened.
/// @return  -1: run the program by its path
int trusted_program(const char* path, int errors) {
    if (!is_root_of_system()) return -1;
    Untrusted why;
    FileDescriptor opened = open_trusted_program(path, why);
    if (!opened && why.error == EPERM) refuse(errors, why.place);
    errno = why.error;
    if (!opened) fail(errors, "cannot be run");
    if (opened.get() >= 3) return opened.release();
    return ::fcntl(opened.get(), F_DUPFD_CLOEXEC, 3);  // above the streams, which dup2 replaces
}

/// Executes the program. Returns only when that fails.
/// @param program  of trusted_program()
void execute(int program, char** argv, char** environment) {
    if (program >= 0) {
        ::syscall(SYS_execveat, program, "", argv, environment, AT_EMPTY_PATH);
        // The program is a script that its interpreter could not open any more, or the kernel is
        // older than 3.19. Only root can have put another file there.
        if (errno != ENOENT && errno != ENOSYS) return;
    }
    ::execve(argv[0], argv, environment);
}

/// Makes the child the program, between fork and exec. This process may have threads, so the child
/// uses system calls only and allocates nothing.
/// vfork would save half a millisecond. But this process could not give up a child whose exec hangs
/// on a file server that is gone.
[[noreturn]] void become_program(char** argv, char** environment, int given_input, int output,
                                 int errors, pid_t parent, const ProgramLimits& limits,
                                 const ProgramUser* as) {
    ::setpgid(0, 0);
    const int program = trusted_program(argv[0], errors);
    if (as != nullptr) be_ended_like_any_other();
    // slurmstepd can return to root; this child must not.
    const uid_t user = as != nullptr ? as->user : ::geteuid();
    const gid_t group = as != nullptr ? as->group : ::getegid();
    if (as != nullptr && ::setgroups(as->groups.size(), as->groups.data()) != 0)
        fail(errors, "cannot be run as the user");
    if (::setresgid(group, group, group) != 0 || ::setresuid(user, user, user) != 0)
        fail(errors, "cannot be run as the user");
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);               // after setresuid(), which clears it
    if (::getppid() != parent) ::_exit(exec_failed);  // the parent died before
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int input = given_input >= 0 ? given_input : ::open("/dev/null", O_RDONLY);
    // The pipes' ends are above 2, unless srun was started with a standard stream closed. The order
    // of the dup2 calls never overwrites a descriptor that is still needed.
    const int safe_output = ::fcntl(output, F_DUPFD, 3);
    const int safe_errors = ::fcntl(errors, F_DUPFD, 3);
    if (input != 0) ::dup2(input, 0);
    ::dup2(safe_output, 1);
    ::dup2(safe_errors, 2);
    close_others(as == nullptr ? std::span<const int>() : as->descriptors, program);
    const rlim_t memory = static_cast<rlim_t>(limits.memory_mib) << 20;
    limit(RLIMIT_AS, memory, memory);
    limit(RLIMIT_CPU, limits.seconds + 1, limits.seconds + 2);
    limit(RLIMIT_CORE, 0, 0);
    if (as != nullptr) {
        limit(RLIMIT_NPROC, 0, 0);
        ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
    execute(program, argv, environment);
    fail(STDERR_FILENO, "cannot be run");
}

/// Reads what is there. `closed` also stands for an error, and `too_much` for more than `keep`
/// bytes where the rest counts as an error.
enum class Drain { open, closed, too_much };
Drain drain(int fd, std::string& into, std::size_t keep, bool drop_rest) {
    std::array<char, 65536> block;
    // The loop ends after a few blocks: a child that writes faster than we read must not keep us
    // from the deadline.
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
    constexpr std::size_t longest = 300;
    const auto begin = text.find_first_not_of("\r\n");
    if (begin == std::string::npos) return "";
    return one_line(text.substr(begin, text.find_first_of("\r\n", begin) - begin), longest);
}

class Child {
public:
    Child(pid_t pid, FileDescriptor output, FileDescriptor errors, const ProgramLimits& limits)
        : pid_(pid), output_(std::move(output)), errors_(std::move(errors)), limits_(limits) {}
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { end_group(); }

    ProgramResult wait(const EndingSignals* taken) {
        const Clock::time_point deadline = Clock::now() + std::chrono::seconds(limits_.seconds);
        sigset_t ending;
        ::sigemptyset(&ending);
        for (const int number : ending_signals) ::sigaddset(&ending, number);
        // Tells the end of the process at once, from Linux 5.3 on.
        const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0U)));
        // Tells only that a signal is pending. The signal is never read, so it stays for srun.
        const FileDescriptor signals(::signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
        for (;;) {
            reap();
            const bool finished = ended_;  // before draining: all its output is in the pipe by now
            if (drain_output() == Drain::too_much)
                return failed("printed more than " + std::to_string(limits_.output_bytes) +
                              " bytes");
            if (finished) return conclude();
            // Rounded up: callers measure whether the program took all its time.
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
            if (left.count() <= 0 && is_complete())
                return {ProgramResult::End::answered, 0, std::move(text_), ""};
            if (left.count() <= 0)
                return failed("took longer than " + std::to_string(limits_.seconds) + " s");
            std::array<pollfd, 4> watched = {
                pollfd{output_.get(), POLLIN, 0}, pollfd{errors_.get(), POLLIN, 0},
                pollfd{signals.get(), POLLIN, 0}, pollfd{process.get(), POLLIN, 0}};
            // The child's pipes are closed a moment before waitpid() can reap it.
            const auto most = process || output_ ? tick : std::chrono::milliseconds(1);
            ::poll(watched.data(), watched.size(), static_cast<int>(std::min(left, most).count()));
            if (taken != nullptr && EndingSignals::interrupted())
                return {ProgramResult::End::interrupted, SIGINT, "", ""};
            if (taken == nullptr && (watched[2].revents & POLLIN) != 0)
                return {ProgramResult::End::interrupted, pending_signal(), "", ""};
        }
    }

private:
    bool is_complete() const {
        return limits_.is_complete != nullptr && limits_.is_complete(text_);
    }

    void reap() {
        if (ended_) return;
        siginfo_t seen{};
        const int looked =
            ::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT);
        if (looked == 0 && seen.si_pid == pid_) {
            end_group();
        } else if (looked != 0 && errno == ECHILD) {
            // SIGCHLD is ignored in this process, so the kernel has dropped the status. The answer
            // must speak for itself.
            ended_ = true;
            status_ = 0;
        }
    }

    /// Kills the child and the processes of its group. Must come before the child is reaped, for
    /// its number may be another's from then on.
    void end_group() {
        if (ended_) return;
        ended_ = true;
        ::kill(-pid_, SIGKILL);
        ::kill(pid_, SIGKILL);
        // A child that hangs in the kernel (a file server is gone) does not react. It is left to
        // init.
        const auto patience = Clock::now() + std::chrono::milliseconds(500);
        for (;;) {
            const pid_t gone = ::waitpid(pid_, &status_, WNOHANG);
            if (gone == pid_ || (gone < 0 && errno != EINTR) || Clock::now() >= patience) return;
            constexpr timespec moment{0, 200000};
            ::nanosleep(&moment, nullptr);
        }
    }

    Drain drain_output() {
        if (errors_ && drain(errors_.get(), error_text_, most_error_bytes, true) == Drain::closed)
            errors_.reset();
        if (!output_) return Drain::closed;
        const Drain state = drain(output_.get(), text_, limits_.output_bytes, false);
        if (state == Drain::closed) output_.reset();
        return state;
    }

    ProgramResult conclude() {
        const std::string said = first_line_of(error_text_);
        if (WIFSIGNALED(status_) && is_complete())
            return {ProgramResult::End::answered, 0, std::move(text_), ""};
        if (WIFSIGNALED(status_)) {
            const int number = WTERMSIG(status_);
            return failed("was killed by signal " + std::to_string(number) + " (" +
                          ::strsignal(number) + ")" + (said.empty() ? "" : ": " + said));
        }
        const int code = WEXITSTATUS(status_);
        if (code == exec_refused && said.starts_with("cannot be run")) {
            ProgramResult result = failed(said);
            result.refused = true;
            return result;
        }
        if (code == exec_failed && said.starts_with("cannot be run")) return failed(in_words(said));
        if (code != 0)
            return failed("failed with exit code " + std::to_string(code) +
                          (said.empty() ? "" : ": " + said));
        return {ProgramResult::End::answered, 0, std::move(text_), ""};
    }

    static int pending_signal() {
        sigset_t pending;
        ::sigpending(&pending);
        for (const int number : ending_signals) {
            if (::sigismember(&pending, number) == 1) return number;
        }
        return 0;
    }

    static ProgramResult failed(std::string reason) {
        return {ProgramResult::End::failed, 0, "", std::move(reason)};
    }

    pid_t pid_;
    FileDescriptor output_;
    FileDescriptor errors_;
    const ProgramLimits& limits_;
    std::string text_;
    std::string error_text_;
    int status_ = 0;
    bool ended_ = false;
};

}  // namespace

std::vector<std::string> program_environment(bool whole) {
    constexpr std::array<std::string_view, 5> few = {"PATH=", "LANG=", "LC_ALL=", "TZ=", "HWLOC_"};
    std::vector<std::string> kept;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        if (text.starts_with("LD_") || text.starts_with("GLIBC_TUNABLES=") ||
            text.starts_with("COMMMAP"))
            continue;
        if (!whole && std::ranges::none_of(few, [&](auto name) { return text.starts_with(name); }))
            continue;
        kept.emplace_back(text);
    }
    return kept;
}

LongWord long_word(std::string text) {
    constexpr std::size_t longest_word = 100000;
    if (text.size() <= longest_word) return {std::move(text), ""};
    return {"-", std::move(text)};
}

ProgramResult run_limited(const std::vector<std::string>& argv, const ProgramLimits& limits,
                          const EndingSignals* taken, std::string_view input,
                          const ProgramUser* as) {
    const auto cannot = [](const char* what, int error) {
        return ProgramResult{ProgramResult::End::failed, 0, "",
                             std::string(what) + ": " + std::strerror(error)};
    };
    if (argv.empty() || !argv.front().starts_with('/')) {
        return {ProgramResult::End::failed, 0, "", "has no absolute path"};
    }
    std::vector<std::string> words = argv;
    std::vector<std::string> variables = program_environment(limits.whole_environment);
    std::vector<char*> word_pointers = argv_pointers(words);
    std::vector<char*> variable_pointers = argv_pointers(variables);
    auto output = make_pipe();
    auto errors = make_pipe();
    if (!output || !errors) return cannot("could not be started: no pipe", errno);
    FileDescriptor given_input;
    if (!input.empty()) given_input = file_in_memory(input);
    if (!input.empty() && !given_input) return cannot("could not be started: no memory", errno);
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return cannot("could not be started", errno);
    if (child == 0)
        become_program(word_pointers.data(), variable_pointers.data(), given_input.get(),
                       output->write.get(), errors->write.get(), self, limits, as);
    ::setpgid(child,
              child);  // here too: killing the group must not come before the child has made it
    output->write.reset();
    errors->write.reset();
    ::fcntl(output->read.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(errors->read.get(), F_SETFL, O_NONBLOCK);
    Child program(child, std::move(output->read), std::move(errors->read), limits);
    return program.wait(taken);
}

}  // namespace commmap::spank
