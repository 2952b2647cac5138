// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/srun/placed_launch.hpp"
#include "spank_commmap/srun/request/step_request.hpp"

namespace commmap::spank {

/// Actions of a launch on the world: it starts programs, prints for the user and ends the process.
/// In srun ProcessActions stands behind this interface. A unit test only notes the actions, and so
/// runs a whole sequence of hooks.
class LaunchActions {
public:
    LaunchActions() = default;
    LaunchActions(const LaunchActions&) = delete;
    LaunchActions& operator=(const LaunchActions&) = delete;
    virtual ~LaunchActions() = default;

    /// Plan the launch, and start srun again or bind (placed_launch.hpp).
    virtual void plan_and_relaunch(const LaunchContext& launch, const StepRequest& request) = 0;
    [[nodiscard]] virtual Binding plan_and_bind(const LaunchContext& launch,
                                                const StepRequest& request) = 0;

    /// Runs a program and waits for its end: run_limited().
    [[nodiscard]] virtual ProgramResult run(const std::vector<std::string>& argv,
                                            const ProgramLimits& limits,
                                            std::string_view input) = 0;
    /// Returns run() as a value, for code that needs nothing else.
    [[nodiscard]] RunProgram program_runner() {
        return [this](const std::vector<std::string>& argv, const ProgramLimits& limits,
                      std::string_view input) { return run(argv, limits, input); };
    }

    /// Writes one line for the user on standard error: print_line().
    virtual void print_line(const std::string& text) = 0;
    /// Writes a text to standard output. Returns false when that failed.
    [[nodiscard]] virtual bool print(const std::string& text) = 0;

    /// Calls `handler(exit code, argument)` when this process ends: on_exit(3). A process that this
    /// one forked inherits the handler.
    virtual void at_exit(void (*handler)(int, void*), void* argument) = 0;
    /// Ends this process. Handlers of at_exit() run first.
    [[noreturn]] void end_process(int status) {
        do_end_process(status);
        std::_Exit(status);  // not reached: gcc does not know that do_end_process() never returns
    }

private:
    virtual void do_end_process(int status) = 0;
};

}  // namespace commmap::spank
