#pragma once

#include <deque>
#include <optional>
#include <string>

namespace commmap::cli {

/// While it lives, the process ends with the answer that was prepared last, and with exit status 0,
/// when the time is up, or the CPU time that it may use (SIGXCPU). Only one at a time. The signal's
/// handler writes what is there: it needs no memory, no lock and nothing of what is being worked
/// on, so that it answers whatever the other threads are in the middle of.
class AnswerWatchdog {
public:
    /// A file that is written when the last moment comes, after the answer, as one step.
    struct File {
        std::string path;
        std::string content;
        bool may_replace;  ///< else what is there by then stays
    };

    /// @param seconds  from now; 0: never
    /// @param answer   to be given when it comes before prepare()
    AnswerWatchdog(double seconds, std::string answer);
    AnswerWatchdog(const AnswerWatchdog&) = delete;
    AnswerWatchdog& operator=(const AnswerWatchdog&) = delete;
    ~AnswerWatchdog() { over(); }

    /// False: it never comes, and nothing need be prepared.
    [[nodiscard]] bool expected() const { return armed_; }
    /// @param answer  whole
    void prepare(std::string answer, std::optional<File> file = std::nullopt);
    /// It does not come any more: the caller answers. Does not return when it is just being
    /// answered, in another thread.
    void over();

    struct Prepared {
        std::string answer;
        std::optional<File> file;
        std::string beside;  ///< the file's name while it is written
    };

private:
    std::deque<Prepared> prepared_;  ///< earlier ones may just be written
    std::string random_part_;        ///< of the names of files
    bool armed_ = false;
};

}  // namespace commmap::cli
