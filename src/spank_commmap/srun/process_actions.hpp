// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spank_commmap/srun/launch_actions.hpp"

namespace commmap::spank {

/// The actions in srun. Each forwards to the function that its name says.
class ProcessActions final : public LaunchActions {
public:
    void plan_and_relaunch(const LaunchContext& launch, const StepRequest& request) override;
    Binding plan_and_bind(const LaunchContext& launch, const StepRequest& request) override;
    ProgramResult run(const std::vector<std::string>& argv, const ProgramLimits& limits,
                      std::string_view input) override;
    void print_line(const std::string& text) override;
    bool print(const std::string& text) override;
    void at_exit(void (*handler)(int, void*), void* argument) override;

private:
    void do_end_process(int status) override;
};

}  // namespace commmap::spank
