#pragma once

#include <signal.h>
#include <termios.h>

#include <array>
#include <chrono>

namespace commmap::spank {

/// Signals that end srun, the first of several pending ones first: an interrupt comes last, for
/// srun asks for it twice.
inline constexpr std::array ending_signals = {SIGTERM, SIGHUP, SIGQUIT, SIGINT};

/// While a srun that has its step, or one whose threads take signals (26.05), is held up by
/// planning: a TERM, HUP or QUIT ends it at once, as long as this lives. srun's own thread would
/// act on tasks that are not running yet, forget the signal, and start them. An interrupt is noted.
///
/// In the thread that makes it, which must be the main one: the kernel prefers that to a thread in
/// sigwait. One at a time.
class EndingSignals {
public:
    static constexpr std::array ending = {SIGTERM, SIGHUP, SIGQUIT};

    /// @param terminal  modes to give back to standard input when srun ends; nullptr: none
    explicit EndingSignals(const termios* terminal);
    EndingSignals(const EndingSignals&) = delete;
    EndingSignals& operator=(const EndingSignals&) = delete;
    /// Masks and handlers as before. An interrupt that was noted is sent again, for srun.
    ~EndingSignals();

    [[nodiscard]] static bool interrupted();

private:
    sigset_t mask_{};
    std::array<struct sigaction, ending.size() + 1> before_{};
};

/// Waits until another thread has put its handlers in for those signals, `limit` at most: srun's
/// connection manager (26.05, src/conmgr/signals.c) does so some time after srun's start, and would
/// replace those of EndingSignals.
void await_handlers(std::chrono::milliseconds limit);

/// Ends this process by one of EndingSignals::ending. Left to srun, which has no running step yet,
/// such a signal is taken while the step is being made: the tasks may never start and srun still
/// ends with 0. Returns for every other signal. Safe in a handler.
void end_by_signal(int number);

}  // namespace commmap::spank
