// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/process/aside.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <utility>

namespace commmap::spank {
namespace {

using namespace std::chrono_literals;

/// Both ends are this process's and its children's.
struct Pipe {
    Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
    ~Pipe() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    std::array<int, 2> ends{};
};

std::string temporary_file() {
    std::string path = testing::TempDir() + "/aside-XXXXXX";
    const int fd = ::mkstemp(path.data());
    EXPECT_GE(fd, 0);
    ::close(fd);
    return path;
}

void write_text(const std::string& path, const std::string& text) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC);
    static_cast<void>(!::write(fd, text.data(), text.size()));
    ::close(fd);
}

std::string text_of(const std::string& path) {
    std::array<char, 256> text{};
    const int fd = ::open(path.c_str(), O_RDONLY);
    const ssize_t size = ::read(fd, text.data(), text.size());
    ::close(fd);
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

TEST(Aside, IsDoneWhenTheCallReturns) {
    const std::string path = temporary_file();

    do_aside(60s, [&] { write_text(path, "done by " + std::to_string(::getppid())); });

    EXPECT_EQ(text_of(path), "done by " + std::to_string(::getpid()));
    ::unlink(path.c_str());
}

TEST(Aside, AQuestionHasAnAnswer) {
    while (::waitpid(-1, nullptr, 0) > 0) {  // children of the test before
    }
    EXPECT_EQ(ask_aside(60s, [] { return true; }), true);
    EXPECT_EQ(ask_aside(60s, [] { return false; }), false);
    EXPECT_EQ(ask_aside(60s, []() -> bool { throw 1; }), std::nullopt);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
}

TEST(Aside, AQuestionThatHangsHasNone) {
    const auto hangs = [] {
        ::pause();
        return true;
    };
    EXPECT_EQ(ask_aside(10ms, hangs), std::nullopt);
    // it is ended, and somebody has to take its status
    int status = 0;
    if (::waitpid(-1, &status, 0) > 0) {
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
}

TEST(Aside, WorkThatHangsIsLeftToItself) {
    const std::string path = temporary_file();
    ASSERT_EQ(::unlink(path.c_str()), 0);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);

    do_aside(1ms, [&] { write_text(path, "late"); });  // until somebody reads

    EXPECT_EQ(text_of(path), "late");
    ::unlink(path.c_str());
}

TEST(Aside, HoldsNoDescriptorOfThisProcess) {
    Pipe held;
    for (int& end : held.ends) {  // the child has a pipe of its own at the first number
        const int high = ::fcntl(end, F_DUPFD, 100);
        ::close(std::exchange(end, high));
    }
    const std::string path = temporary_file();

    do_aside(60s, [&] {
        std::array<char, 256> target{};
        std::string text;
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
            const std::string link = "/proc/self/fd/" + std::to_string(fd);
            const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
            text += std::string(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0) + ' ';
        }
        for (const int fd : held.ends) text += ::fcntl(fd, F_GETFD) < 0 ? "closed " : "open ";
        write_text(path, text);
    });

    EXPECT_EQ(text_of(path), "/dev/null /dev/null /dev/null closed closed ");
    ::unlink(path.c_str());
}

}  // namespace
}  // namespace commmap::spank
