// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// Returns the open descriptors of a process from 3 on, ascending.
/// @param process  "self" or a process number
[[nodiscard]] std::vector<int> descriptors_of(const std::string& process);

/// Restores a terminal's modes where they have changed. The terminal does not stop this process in
/// the background (SIGTTOU).
/// Safe in a signal handler.
void give_back_terminal(const termios& modes);

/// The state of a process that survives exec: signal mask, ignored signals, terminal modes, limits
/// and open descriptors.
/// The state is taken when srun starts, and restored before srun is started again in its place. So
/// the second srun finds what the first one found.
class ProcessState {
public:
    [[nodiscard]] static ProcessState now();

    /// Restores mask, dispositions, terminal modes and SLURM_CONF. The exec closes the descriptors
    /// opened since, but for `kept`.
    /// @param open  signals that stay unblocked, so that none is lost in between
    void restore_for_exec(std::initializer_list<int> kept, std::span<const int> open = {}) const;
    /// Returns the terminal's modes; nullptr when standard input is no terminal.
    [[nodiscard]] const termios* terminal() const { return terminal_ ? &*terminal_ : nullptr; }

private:
    ProcessState() = default;

    sigset_t mask_{};
    std::array<bool, NSIG> ignored_{};
    std::optional<termios> terminal_;
    std::optional<std::string> slurm_conf_;  ///< srun writes "(null)" there where it has no file
    std::optional<rlimit> open_files_;  ///< srun raises its own limit, and hands on the old one
    std::vector<int> open_;             ///< descriptors from 3 on, ascending
};

}  // namespace commmap::spank
