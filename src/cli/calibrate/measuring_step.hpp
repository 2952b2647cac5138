// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "commmap/result.hpp"

namespace commmap::cli {

/// Hands INT, TERM and HUP on to the program that run_program() runs, as long as this object lives.
/// Between two programs these signals are only remembered (signal_went_on()). A broken pipe is an
/// error of write(), not the end of this process.
class SignalsHandedOn {
public:
    SignalsHandedOn();
    SignalsHandedOn(const SignalsHandedOn&) = delete;
    SignalsHandedOn& operator=(const SignalsHandedOn&) = delete;
    ~SignalsHandedOn();

private:
    static constexpr std::array handed_on{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, handed_on.size()> before_{};
    struct sigaction pipe_before_ {};
};

/// Runs a program, gives it a text on its standard input, and hands on what it prints line by line.
/// Its standard error is this process's.
///
/// INT, TERM and HUP that reach this process meanwhile go on to the program (SignalsHandedOn). The
/// call returns when the program has ended, so that lines that came before are not lost.
/// @param command  the program, looked for in PATH, and its arguments
/// @param on_line  gets each line without its end
/// @return  the exit code
/// Errors: io when the program cannot be started, invalid_input when it is killed; the message
/// names the program and the signal.
[[nodiscard]] Result<int> run_program(const std::vector<std::string>& command,
                                      const std::string& input,
                                      const std::function<void(const std::string&)>& on_line);

/// Tells whether a SignalsHandedOn has got INT, TERM or HUP since this process began.
[[nodiscard]] bool signal_went_on();

/// Does the same with a program that has to end with exit code 0.
/// Errors: invalid_input also for another exit code, which the message names.
[[nodiscard]] Status run_measuring_step(const std::vector<std::string>& command,
                                        const std::string& input,
                                        const std::function<void(const std::string&)>& on_line);

}  // namespace commmap::cli
