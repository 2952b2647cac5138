// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/node/shared_answer.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <functional>
#include <vector>

namespace commmap::spank {
namespace {

using namespace std::chrono_literals;

constexpr auto long_enough = 600s;

/// A pipe that children leave one letter each in.
class Letters {
public:
    Letters() { EXPECT_EQ(::pipe(ends_.data()), 0); }
    ~Letters() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    void put(char letter) const { EXPECT_EQ(::write(ends_[1], &letter, 1), 1); }
    /// Of all that were put; the children have ended.
    [[nodiscard]] std::string all() {
        ::close(ends_[1]);
        ends_[1] = -1;
        std::string text;
        for (char letter = 0; ::read(ends_[0], &letter, 1) == 1;) text += letter;
        return text;
    }

private:
    std::array<int, 2> ends_{};
};

/// Exit codes of children, each of which is `ask`.
std::vector<int> in_children(int count, const std::function<int(int)>& ask) {
    std::vector<pid_t> children;
    for (int number = 0; number < count; ++number) {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(ask(number));
        children.push_back(child);
    }
    std::vector<int> codes;
    for (const pid_t child : children) {
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return codes;
}

TEST(SharedAnswer, IsWorkedOutOnce) {
    SharedAnswer answer;
    answer.share();
    Letters worked;
    const std::string large(300000, 'x');

    const auto codes = in_children(16, [&](int) {
        const auto got = answer.get(
            [&]() -> Result<std::string> {
                worked.put('w');
                ::usleep(20000);  // so that others come while it is being worked out
                return large;
            },
            long_enough);
        return got && got.value() == large ? 0 : 1;
    });

    EXPECT_EQ(codes, std::vector<int>(16, 0));
    EXPECT_EQ(worked.all(), "w");
}

TEST(SharedAnswer, TellsThatAChildWorkedItOut) {
    const auto work = [](const Result<std::string>& result) {
        return [result]() -> Result<std::string> { return result; };
    };
    SharedAnswer answer;
    EXPECT_FALSE(answer.worked_out());
    answer.share();
    EXPECT_FALSE(answer.worked_out());
    in_children(1, [&](int) { return answer.get(work(std::string("x")), long_enough) ? 0 : 1; });
    EXPECT_TRUE(answer.worked_out());

    SharedAnswer failing;
    failing.share();
    in_children(1, [&](int) {
        return failing.get(work(Error{Errc::library, "no"}), long_enough) ? 1 : 0;
    });
    EXPECT_FALSE(failing.worked_out());
}

TEST(SharedAnswer, WhatIsKnownIsNotWorkedOut) {
    SharedAnswer answer;
    answer.know("x");
    const auto codes = in_children(2, [&](int) {
        const auto got = answer.get(
            []() -> Result<std::string> {
                return Error{Errc::library, "asked"};
            },
            long_enough);
        return got && got.value() == "x" ? 0 : 1;
    });
    EXPECT_EQ(codes, std::vector<int>(2, 0));
    EXPECT_FALSE(answer.worked_out());
}

TEST(SharedAnswer, AFailureIsEverybodys) {
    SharedAnswer answer;
    answer.share();
    Letters worked;

    const auto codes = in_children(4, [&](int) {
        const auto got = answer.get(
            [&]() -> Result<std::string> {
                worked.put('w');
                return Error{Errc::library, "no /sys"};
            },
            long_enough);
        return !got && got.error().message == "no /sys" ? 0 : 1;
    });

    EXPECT_EQ(codes, std::vector<int>(4, 0));
    EXPECT_EQ(worked.all(), "w");
}

TEST(SharedAnswer, WhoWorksItOutMayDie) {
    SharedAnswer answer;
    answer.share();
    EXPECT_EQ(in_children(1,
                          [&](int) {
                              static_cast<void>(answer.get(
                                  []() -> Result<std::string> {
                                      ::raise(SIGKILL);
                                      return std::string();
                                  },
                                  long_enough));
                              return 0;
                          }),
              std::vector<int>{-SIGKILL});

    const auto late =
        answer.get([]() -> Result<std::string> { return std::string("again"); }, 50ms);

    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().message, "no answer within 50 ms");
}

TEST(SharedAnswer, WithoutSharingEachHasItsOwn) {
    const SharedAnswer answer;
    Letters worked;

    const auto codes = in_children(3, [&](int) {
        const auto got = answer.get(
            [&]() -> Result<std::string> {
                worked.put('w');
                return std::string("mine");
            },
            long_enough);
        return got && got.value() == "mine" ? 0 : 1;
    });

    EXPECT_EQ(codes, std::vector<int>(3, 0));
    EXPECT_EQ(worked.all(), "www");
}

TEST(SharedAnswer, RefusesWhatIsTooLong) {
    SharedAnswer answer;
    answer.share();
    const auto got = answer.get(
        []() -> Result<std::string> { return std::string(SharedAnswer::most_bytes + 1, 'x'); },
        long_enough);
    EXPECT_FALSE(got);
}

}  // namespace
}  // namespace commmap::spank
