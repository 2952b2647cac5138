// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <signal.h>
#include <termios.h>

#include <array>
#include <chrono>

namespace commmap::spank {

/// Signals that end srun, in the order in which pending ones are taken. An interrupt comes last,
/// for srun asks for it twice.
inline constexpr std::array ending_signals = {SIGTERM, SIGHUP, SIGQUIT, SIGINT};

/// Has TERM, HUP or QUIT end srun at once, while planning holds up srun and as long as this object
/// lives. An interrupt is noted.
/// Needed where srun already has its step, or where srun's threads take signals (26.05).
/// srun's own thread would act on tasks that are not running yet, forget the signal, and start the
/// tasks.
///
/// Threads: for the main thread, which the kernel prefers to a thread in sigwait. One object at a
/// time.
class EndingSignals {
public:
    static constexpr std::array ending = {SIGTERM, SIGHUP, SIGQUIT};

    /// @param terminal  modes to restore on standard input when srun ends; nullptr: none
    explicit EndingSignals(const termios* terminal);
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;
    /// Restores masks and handlers. Sends an interrupt that was noted again, to srun.
    ~EndingSignals();

    [[nodiscard]] static bool interrupted();

private:
    sigset_t mask_{};
    std::array<struct sigaction, ending.size() + 1> before_{};
};

/// Waits until another thread has set its handlers for those signals, at most `limit`.
/// srun's connection manager (26.05, src/conmgr/signals.c) does so some time after srun's start. It
/// would replace the handlers of EndingSignals.
void await_handlers(std::chrono::milliseconds limit);

/// Ends this process by one of EndingSignals::ending. Returns for every other signal. Safe in a
/// handler.
/// srun has no running step yet, and would take such a signal while it makes the step: the tasks
/// may never start and srun still ends with 0.
void end_by_signal(int number);

}  // namespace commmap::spank
