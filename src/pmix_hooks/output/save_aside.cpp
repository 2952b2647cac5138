// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/save_aside.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/base/handle.hpp"
#include "pmix_hooks/output/described_run.hpp"
#include "pmix_hooks/output/record_memory.hpp"
#include "pmix_hooks/process/environment.hpp"
#include "pmix_hooks/process/print_line.hpp"

namespace commmap::hooks {
namespace {

constexpr std::chrono::seconds longest{5};

/// Makes the head of what commmap-collect reads: a task's record in the state `gathered`, with the
/// records of all ranks behind it.
/// Null when there is no memory.
std::unique_ptr<RecordHead> head_of_all(std::string_view records, int size) {
    std::unique_ptr<RecordHead> head(new (std::nothrow) RecordHead);
    if (!head) return head;
    describe_run(*head);
    head->size = static_cast<std::uint32_t>(size);
    head->base = nullptr;  // addresses are offsets in the sent bytes
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    head->gathered = reinterpret_cast<const char*>(sizeof(RecordHead));
    head->gathered_bytes = records.size();
    head->layout = record_layout();
    head->state.store(RecordState::gathered);
    return head;
}

/// Returns the path of commmap-collect; empty when it is unknown.
std::string collector() {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<void*>(&save_aside), &here) == 0 || here.dli_fname == nullptr)
        return "";
    const std::string library = here.dli_fname;
    const std::size_t slash = library.rfind('/');
    return slash == std::string::npos ? "" : library.substr(0, slash) + "/commmap-collect";
}

/// Returns the environment without the recorder, for commmap-collect must not be recorded itself.
std::vector<char*> environment_without_recorder() {
    std::vector<char*> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("COMMMAP_RECORD="))
            kept.push_back(*entry);
    }
    kept.push_back(nullptr);
    return kept;
}

/// Starts the program. Returns 0, or an error number.
/// Its standard streams are the socket: a reader of this process's output must not wait for the
/// program.
int start(const std::string& program, const FileDescriptor& socket, pid_t& child) {
    const std::string job = environment("SLURM_JOB_ID");
    const std::string step = environment("SLURM_STEP_ID");
    const std::array<std::string, 4> words = {program, job.empty() ? "0" : job,
                                              step.empty() ? "0" : step, "-"};
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) return error;
    int failed = 0;
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (failed == 0)
            failed = ::posix_spawn_file_actions_adddup2(&actions, socket.get(), stream);
    const std::vector<char*> variables = environment_without_recorder();
    if (failed == 0)
        failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(),
                               variables.data());
    ::posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/// One exchange with the program, until a deadline. A program that ends early raises no SIGPIPE.
class Exchange {
public:
    explicit Exchange(const FileDescriptor& socket) : socket_(socket) {}

    [[nodiscard]] bool send(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const char*>(data);
        while (size > 0) {
            const ssize_t sent = ::send(socket_.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent > 0) {
                bytes += sent;
                size -= static_cast<std::size_t>(sent);
            } else if (sent < 0 && errno != EAGAIN && errno != EINTR) {
                // The program's words, or its end, will tell why.
                return true;
            } else if (!wait_for(POLLOUT)) {
                return false;
            }
        }
        return true;
    }
    /// Receives what the program says until it ends. Returns false when the time is up.
    [[nodiscard]] bool hear(std::string& text) {
        ::shutdown(socket_.get(), SHUT_WR);
        while (true) {
            char part[512];
            const ssize_t got = ::recv(socket_.get(), part, sizeof part, MSG_DONTWAIT);
            if (got > 0) {
                text.append(part, static_cast<std::size_t>(got));
            } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                return true;
            } else if (!wait_for(POLLIN)) {
                return false;
            }
        }
    }

private:
    /// Waits for the socket. Returns false when the time is up.
    [[nodiscard]] bool wait_for(short event) const {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
        if (left <= 0) return false;
        pollfd ready{socket_.get(), event, 0};
        static_cast<void>(::poll(&ready, 1, static_cast<int>(left)));
        return true;
    }

    using Clock = std::chrono::steady_clock;
    const FileDescriptor& socket_;
    Clock::time_point deadline_ = Clock::now() + longest;
};

void save(std::string_view records, int size) {
    constexpr const char* failed = "no profile of this run: ";
    if (const auto directory = save_directory(); !directory)
        return print_line(failed, directory.error().message);
    const std::string program = collector();
    const auto head = head_of_all(records, size);
    int ends[2];
    if (!head || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return print_line(failed, "there is no memory for it");
    // Neither end may have the number of a standard stream, which the recorded program may have
    // closed. Else the program's output and our messages would go to the socket.
    FileDescriptor low_own(ends[0]);
    FileDescriptor low_childs(ends[1]);
    const auto above_standard_ones = [](FileDescriptor& file) {
        FileDescriptor copy(::fcntl(file.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
        file.reset();
        return copy;
    };
    const FileDescriptor own = above_standard_ones(low_own);
    FileDescriptor childs = above_standard_ones(low_childs);
    if (!own || !childs) return print_line(failed, "there is no descriptor for it");
    pid_t child = -1;
    if (const int error = start(program, childs, child); error != 0)
        return print_line(failed,
                          "'" + program + "' cannot be run (error " + std::to_string(error) + ")");
    childs.reset();
    std::string text;
    Exchange exchange(own);
    if (!exchange.send(head.get(), sizeof *head) ||
        !exchange.send(records.data(), records.size())) {
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        return print_line(failed, "'" + program + "' did not take it within 5 s");
    }
    if (!exchange.hear(text)) {
        ::waitpid(child, nullptr, WNOHANG);
        return print_line(
            "no profile of this run yet: the directory for profiles has not answered within 5 s");
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const std::string line = text.substr(0, text.find('\n'));
    if (line.empty() && WIFSIGNALED(status))
        return print_line(
            failed, "'" + program + "' was killed by signal " + std::to_string(WTERMSIG(status)));
    if (!line.starts_with("recorded ")) return print_line(failed, line);
    if (is_set_to("COMMMAP_VERBOSE", "1")) print_line(line);
}

}  // namespace

void save_aside(std::string_view records, int size) noexcept {
    try {
        save(records, size);
    } catch (const std::exception& e) {
        print_line("no profile of this run: ", e.what());
    }
}

}  // namespace commmap::hooks
