// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/process_actions.hpp"

#include <cstdio>
#include <cstdlib>

#include "spank_commmap/slurm/print_line.hpp"

namespace commmap::spank {

void ProcessActions::plan_and_relaunch(const LaunchContext& launch, const StepRequest& request) {
    spank::plan_and_relaunch(launch, request);
}

Binding ProcessActions::plan_and_bind(const LaunchContext& launch, const StepRequest& request) {
    return spank::plan_and_bind(launch, request);
}

ProgramResult ProcessActions::run(const std::vector<std::string>& argv, const ProgramLimits& limits,
                                  std::string_view input) {
    return run_limited(argv, limits, nullptr, input);
}

void ProcessActions::print_line(const std::string& text) { spank::print_line(text); }

bool ProcessActions::print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    return std::fflush(stdout) == 0;
}

void ProcessActions::at_exit(void (*handler)(int, void*), void* argument) {
    ::on_exit(handler, argument);
}

void ProcessActions::do_end_process(int status) { std::exit(status); }

}  // namespace commmap::spank
