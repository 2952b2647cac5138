// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/ending_signals.hpp"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "spank_commmap/process/process_state.hpp"

namespace commmap::spank {
namespace {

volatile sig_atomic_t interrupt_seen = 0;
std::optional<termios> terminal_modes;

void end_now(int number) {
    if (terminal_modes) give_back_terminal(*terminal_modes);
    end_by_signal(number);
}

void note(int /*number*/) { interrupt_seen = 1; }

}  // namespace

EndingSignals::EndingSignals(const termios* terminal) {
    interrupt_seen = 0;
    terminal_modes.reset();
    if (terminal != nullptr) terminal_modes = *terminal;
    sigset_t taken;
    ::sigemptyset(&taken);
    struct sigaction action {};
    action.sa_handler = end_now;
    for (std::size_t i = 0; i < ending.size(); ++i) {
        ::sigaction(ending[i], &action, &before_[i]);
        ::sigaddset(&taken, ending[i]);
    }
    action.sa_handler = note;
    ::sigaction(SIGINT, &action, &before_.back());
    ::sigaddset(&taken, SIGINT);
    ::pthread_sigmask(SIG_UNBLOCK, &taken, &mask_);
}

EndingSignals::~EndingSignals() {
    ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    for (std::size_t i = 0; i < ending.size(); ++i) ::sigaction(ending[i], &before_[i], nullptr);
    ::sigaction(SIGINT, &before_.back(), nullptr);
    if (interrupted()) ::kill(::getpid(), SIGINT);
}

bool EndingSignals::interrupted() { return interrupt_seen != 0; }

void await_handlers(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    const auto handled = [](int number) {
        struct sigaction action {};
        return ::sigaction(number, nullptr, &action) != 0 || action.sa_handler != SIG_DFL;
    };
    while (!std::all_of(EndingSignals::ending.begin(), EndingSignals::ending.end(), handled) &&
           std::chrono::steady_clock::now() < deadline) {
        constexpr timespec moment{0, 500000};
        ::nanosleep(&moment, nullptr);
    }
}

void end_by_signal(int number) {
    const auto& ending = EndingSignals::ending;
    if (std::find(ending.begin(), ending.end(), number) == ending.end()) return;
    ::signal(number, SIG_DFL);
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, number);
    // The signal goes to this thread, with the default action set: it is delivered here, before the
    // second call returns.
    ::pthread_kill(::pthread_self(), number);
    ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

}  // namespace commmap::spank
