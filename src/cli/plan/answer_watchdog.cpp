// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/plan/answer_watchdog.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <random>
#include <utility>

#include "cli/plan/timeval_of.hpp"

namespace commmap::cli {
namespace {

// A signal's handler may read these variables.
std::atomic<const AnswerWatchdog::Prepared*> prepared = nullptr;
std::atomic<bool> answered = true;  // the handler has answered, or the caller does
static_assert(std::atomic<const AnswerWatchdog::Prepared*>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

/// Writes a whole text. Uses system calls only.
bool write_all(int fd, const std::string& text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

extern "C" void answer_now(int /*signal*/) {
    if (answered.exchange(true)) return;
    const AnswerWatchdog::Prepared& now = *prepared.load();
    if (!write_all(STDOUT_FILENO, now.answer)) ::_exit(1);
    if (now.file) {
        constexpr mode_t owner_only = 0600;
        const int fd =
            ::open(now.beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only);
        const bool whole = fd >= 0 && write_all(fd, now.file->content) && ::close(fd) == 0;
        const bool replaced = whole && now.file->may_replace &&
                              ::rename(now.beside.c_str(), now.file->path.c_str()) == 0;
        if (whole && !now.file->may_replace)
            static_cast<void>(!::link(now.beside.c_str(), now.file->path.c_str()));
        if (fd >= 0 && !replaced) ::unlink(now.beside.c_str());
    }
    ::_exit(0);
}

void set_timer(double seconds) {
    const itimerval once{{}, timeval_of(seconds)};
    ::setitimer(ITIMER_REAL, &once, nullptr);
}

}  // namespace

AnswerWatchdog::AnswerWatchdog(double seconds, std::string answer) : armed_(seconds > 0.0) {
    if (!armed_) return;
    random_part_ = std::to_string(std::random_device{}());
    prepare(std::move(answer));
    answered = false;
    struct sigaction action {};
    action.sa_handler = answer_now;
    action.sa_flags = SA_RESTART;
    // A file that exceeds the limit only fails: the process goes on.
    ::sigaddset(&action.sa_mask, SIGXFSZ);
    for (const int signal : {SIGALRM, SIGXCPU}) ::sigaction(signal, &action, nullptr);
    set_timer(seconds);
}

void AnswerWatchdog::prepare(std::string answer, std::optional<File> file) {
    std::string beside = file ? file->path + ".new-" + random_part_ : "";
    prepared_.push_back({std::move(answer), std::move(file), std::move(beside)});
    prepared = &prepared_.back();
}

void AnswerWatchdog::over() {
    if (!armed_) return;
    armed_ = false;
    // A pipe takes a long answer piece by piece, and this thread may come here meanwhile.
    while (answered.exchange(true)) ::pause();
    set_timer(0.0);
}

}  // namespace commmap::cli
