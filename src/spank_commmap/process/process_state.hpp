#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <termios.h>

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace commmap::spank {

/// Open descriptors of a process ("self", or its number) from 3 on, ascending.
[[nodiscard]] std::vector<int> descriptors_of(const std::string& process);

/// Gives a terminal its modes back where they have changed. Not stopped by it in the background
/// (SIGTTOU). Safe in a signal handler.
void give_back_terminal(const termios& modes);

/// What of a process survives exec: signal mask, ignored signals, terminal modes, limits
/// and open descriptors. Taken when srun starts, put back before srun is started again in its
/// place, so that the second one finds what the first one found.
class ProcessState {
public:
    [[nodiscard]] static ProcessState now();

    /// Mask, dispositions, terminal modes and SLURM_CONF as they were. Descriptors opened since are
    /// closed by the exec, but for `kept`.
    /// @param open  signals that stay unblocked, so that there is no moment in which one is lost
    void restore_for_exec(std::initializer_list<int> kept, std::span<const int> open = {}) const;
    /// nullptr: standard input is no terminal.
    [[nodiscard]] const termios* terminal() const { return terminal_ ? &*terminal_ : nullptr; }

private:
    ProcessState() = default;

    sigset_t mask_{};
    std::array<bool, NSIG> ignored_{};
    std::optional<termios> terminal_;
    std::optional<std::string> slurm_conf_;  ///< srun puts "(null)" there where it has no file
    std::optional<rlimit> open_files_;  ///< srun raises its own, and hands on what it was before
    std::vector<int> open_;             ///< descriptors from 3 on, ascending
};

}  // namespace commmap::spank
