// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <deque>
#include <optional>
#include <string>

namespace commmap::cli {

/// Ends the process with the answer that was prepared last, and with exit status 0, when the time
/// is up.
/// The time is wall clock, or the CPU time that the process may use (SIGXCPU). Only one object at a
/// time.
/// A handler of the signal writes the answer. It needs no memory, no lock and no data of the other
/// threads, whatever they are doing.
class AnswerWatchdog {
public:
    /// A file that is written after the answer when the time is up, as one step.
    struct File {
        std::string path;
        std::string content;
        bool may_replace;  ///< else an existing file stays
    };

    /// @param seconds  from now; 0: never
    /// @param answer   given if the time is up before prepare()
    AnswerWatchdog(double seconds, std::string answer);
    AnswerWatchdog(const AnswerWatchdog&) = delete;
    AnswerWatchdog& operator=(const AnswerWatchdog&) = delete;
    ~AnswerWatchdog() { over(); }

    /// Returns whether the time can run out; false: nothing need be prepared.
    [[nodiscard]] bool expected() const { return armed_; }
    /// Sets the answer to give.
    /// @param answer  whole
    void prepare(std::string answer, std::optional<File> file = std::nullopt);
    /// Stops the watchdog: the caller answers. Does not return if another thread is just giving the
    /// answer.
    void over();

    struct Prepared {
        std::string answer;
        std::optional<File> file;
        std::string beside;  ///< name of the file while it is written
    };

private:
    std::deque<Prepared> prepared_;  ///< earlier ones stay, for they may just be written
    std::string random_part_;        ///< part of the files' names
    bool armed_ = false;
};

}  // namespace commmap::cli
