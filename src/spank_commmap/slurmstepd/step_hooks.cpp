// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/step_hooks.hpp"

#include <string>

#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/handover/pmi2_map.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/slurm/slurm_calls.hpp"
#include "spank_commmap/slurm/spank_api.hpp"

namespace commmap::spank {

void StepHooks::init(spank_t spank) {
    containers_.note_root_directory();
    if (const auto map = task_variable(spank, pmi2_map_variable); map) {
        unset_task_variable(spank, pmi2_map_variable);
        if (own_rules().pmi2_loses_nodes && map->size() <= longest_pmi_value)
            set_task_variable(spank, "SLURM_PMI2_PROC_MAPPING", *map);
    }
    if (task_variable(spank, own_job_variable)) {
        unset_task_variable(spank, own_job_variable);
        for (const char* name : variables_of_job) unset_task_variable(spank, name);
    }
}

Status StepHooks::user_init(spank_t spank, const StepOption::Arguments& plugstack) {
    if (!runs_tasks(spank)) return Ok{};
    const std::string value = option_.placed_text(spank);
    if (value.empty()) {
        if (option_.may_record(spank, plugstack)) records_.prepare(spank);
        return Ok{};
    }
    const auto placed = parse_placed_value(value);  // only splits the value
    if (placed && !placed.value().cpu_sets.empty()) binding_.prepare();
    return Ok{};
}

Status StepHooks::exit(spank_t spank) {
    if (records_.take_anything_left()) return records_.collect(spank);
    return binding_.keep_node();
}

}  // namespace commmap::spank
