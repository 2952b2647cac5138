// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace commmap::spank {

/// A child that reads a pipe of which this process has the write end, as srun's shepherd.
class Shepherd {
public:
    Shepherd() {
        EXPECT_EQ(::pipe(ends_.data()), 0);
        child_ = ::fork();
        if (child_ == 0) {
            ::close(ends_[1]);
            char byte = 1;
            const ssize_t got = ::read(ends_[0], &byte, 1);
            ::_exit(got == 1 ? 7 : 8);  // dismissed, or left alone
        }
        ::close(ends_[0]);
    }
    Shepherd(const Shepherd&) = delete;
    Shepherd& operator=(const Shepherd&) = delete;
    ~Shepherd() { end(); }

    [[nodiscard]] int pipe() const { return ends_[1]; }
    /// 7: it was dismissed; 8: it was left alone.
    int end() {
        if (child_ < 0) return -1;
        ::close(ends_[1]);
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        return WEXITSTATUS(status);
    }

private:
    std::array<int, 2> ends_{};
    pid_t child_ = -1;
};

}  // namespace commmap::spank
