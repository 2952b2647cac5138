// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "spank_commmap/handover/inside_value.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/slurm/print_line.hpp"
#include "spank_commmap/slurm/spank_api.hpp"
#include "spank_commmap/slurmstepd/clock_setup.hpp"
#include "spank_commmap/slurmstepd/inside_setup.hpp"
#include "spank_commmap/slurmstepd/recorder_setup.hpp"
#include "spank_commmap/slurmstepd/step_hooks.hpp"

// This file has the hook of StepHooks that runs in the task: slurmstepd has forked the task, and
// the task has become the user.

namespace commmap::spank {

Status StepHooks::task_init(spank_t spank, const StepOption::Arguments& plugstack) {
    forget_clock(spank);
    forget_inside(spank);
    if (!runs_tasks(spank)) return Ok{};
    const auto decided = task_variable(spank, mode_variable);
    const std::string value = option_.placed_text(spank);
    const std::string clock = task_variable(spank, clock_variable).value_or("");
    const std::string inside = task_variable(spank, inside_variable).value_or("");
    for (const char* name : {handed_on_variable, option_variable, relaunch_variable, mode_variable,
                             placed_variable, clock_variable, inside_variable})
        unset_task_variable(spank, name);
    set_up_clock(spank, plugstack, containers_, clock);
    set_up_inside(spank, plugstack, containers_, inside);
    if (!value.empty()) {
        take_placed_value(spank, value);
        return Ok{};
    }
    const Options options = option_.of_task(spank, plugstack, decided);
    if (options.mode == Mode::profile) {
        set_up_recorder(spank, options, containers_, records_);
    } else if (task_variable(spank, "COMMMAP_RECORD")) {
        forget_recorder(spank);  // a step inside a recorded step that is not to be recorded itself
    }
    return Ok{};
}

void StepHooks::take_placed_value(spank_t spank, const std::string& value) const {
    const auto placed = parse_placed_value(value);
    if (placed) {
        binding_.bind(spank, placed.value());
    } else if (speaks_for_step(spank)) {
        print_line("CPU binding is left to Slurm: " + placed.error().message);
    }
}

}  // namespace commmap::spank
