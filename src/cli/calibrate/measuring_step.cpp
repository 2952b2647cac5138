// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/measuring_step.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"

namespace commmap::cli {
namespace {

/// The program that signals go on to; 0: none. A signal handler reads it.
volatile std::sig_atomic_t running_program = 0;

volatile std::sig_atomic_t went_on = 0;

void hand_on(int signal) {
    const int saved = errno;
    went_on = 1;
    if (running_program > 0) ::kill(static_cast<pid_t>(running_program), signal);
    errno = saved;
}

struct Pipe {
    FileDescriptor read_end;
    FileDescriptor write_end;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("make", "a pipe", errno);
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<pid_t> start(const std::vector<std::string>& command, const Pipe& input,
                    const Pipe& output) {
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) {
        return system_error("start", command.front(), error);
    }
    ::posix_spawn_file_actions_adddup2(&actions, input.read_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, output.write_end.get(), STDOUT_FILENO);
    pid_t program = 0;
    const int error =
        ::posix_spawnp(&program, argv.front(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return system_error("start", command.front(), error);
    return program;
}

/// A program that no longer reads has ended, which its exit code says.
void feed(FileDescriptor end, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t now = ::write(end.get(), text.data() + done, text.size() - done);
        if (now < 0 && errno != EINTR) return;
        if (now > 0) done += static_cast<std::size_t>(now);
    }
}

void read_lines(int fd, const std::function<void(const std::string&)>& on_line) {
    std::array<char, 4096> buffer{};
    std::string line;
    for (;;) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        for (ssize_t i = 0; i < got; ++i) {
            const char c = buffer.at(static_cast<std::size_t>(i));
            if (c == '\n') {
                on_line(std::exchange(line, {}));
            } else {
                line += c;
            }
        }
    }
    // A line without its end was cut off: it is none.
}

}  // namespace

SignalsHandedOn::SignalsHandedOn() {
    struct sigaction action {};
    action.sa_handler = hand_on;
    action.sa_flags = SA_RESTART;
    for (std::size_t s = 0; s < handed_on.size(); ++s) {
        ::sigaction(handed_on.at(s), &action, &before_.at(s));
    }
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, &pipe_before_);
}

SignalsHandedOn::~SignalsHandedOn() {
    running_program = 0;
    for (std::size_t s = 0; s < handed_on.size(); ++s) {
        ::sigaction(handed_on.at(s), &before_.at(s), nullptr);
    }
    ::sigaction(SIGPIPE, &pipe_before_, nullptr);
}

bool signal_went_on() { return went_on != 0; }

Result<int> run_program(const std::vector<std::string>& command, const std::string& input,
                        const std::function<void(const std::string&)>& on_line) {
    auto to_program = make_pipe();
    if (!to_program) return to_program.error();
    auto from_program = make_pipe();
    if (!from_program) return from_program.error();
    const SignalsHandedOn signals;
    const auto program = start(command, to_program.value(), from_program.value());
    if (!program) return program.error();
    running_program = program.value();
    if (went_on != 0) ::kill(program.value(), SIGINT);  // it came before there was a program
    to_program.value().read_end.reset();
    from_program.value().write_end.reset();
    feed(std::move(to_program.value().write_end), input);
    read_lines(from_program.value().read_end.get(), on_line);
    int status = 0;
    while (::waitpid(program.value(), &status, 0) < 0 && errno == EINTR) {
    }
    running_program = 0;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return Error{Errc::invalid_input,
                 fmt::format("'{}' was ended by signal {}", command.front(), WTERMSIG(status))};
}

Status run_measuring_step(const std::vector<std::string>& command, const std::string& input,
                          const std::function<void(const std::string&)>& on_line) {
    const auto code = run_program(command, input, on_line);
    if (!code) return code.error();
    if (code.value() == 0) return Ok{};
    return Error{Errc::invalid_input,
                 fmt::format("'{}' ended with exit code {}", command.front(), code.value())};
}

}  // namespace commmap::cli
