// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/sources.hpp"
#include "spank_commmap/process/limited_program.hpp"

namespace commmap::spank {

/// Names of the option's variables: salloc and sbatch hand the first to a later srun, and srun
/// hands the second to its tasks.
inline constexpr const char* handed_on_variable = "SLURM_SPANK__SLURM_SPANK_OPTION_commmap_commmap";
inline constexpr const char* option_variable = "_SLURM_SPANK_OPTION_commmap_commmap";

/// Read and change a task's environment (remote contexts).
[[nodiscard]] std::optional<std::string> task_variable(spank_t spank, std::string_view name);
void set_task_variable(spank_t spank, const char* name, const std::string& value);
void unset_task_variable(spank_t spank, const char* name);

/// Returns the first variable of the step's environment whose name begins so; nullopt: there is
/// none (remote contexts).
[[nodiscard]] std::optional<std::string> name_in_environment(spank_t spank,
                                                             std::string_view beginning);

/// Returns a number that Slurm knows about the step or the task (items of type uint32_t*).
[[nodiscard]] std::optional<std::uint32_t> number_item(spank_t spank, spank_item_t item);
/// Returns S_TASK_ID, whose type is int*.
[[nodiscard]] std::optional<std::uint32_t> local_task_id(spank_t spank);
/// Returns the user of the job, with all groups (remote contexts).
[[nodiscard]] std::optional<ProgramUser> job_user(spank_t spank);
/// Returns a copy of the program and arguments of the step.
[[nodiscard]] std::vector<std::string> step_command(spank_t spank);

/// Returns the environment of a task, for the readers of options (remote contexts).
[[nodiscard]] Environment environment_of_task(spank_t spank);
/// Returns false for batch scripts, interactive shells and the extern step.
[[nodiscard]] bool runs_tasks(spank_t spank);
/// Returns whether this task is rank 0, the one task that prints lines for the whole step.
[[nodiscard]] bool speaks_for_step(spank_t spank);

/// Returns this plugin's arguments in plugstack.conf.
[[nodiscard]] std::vector<std::string_view> plugstack_arguments(int argc, char** argv);

}  // namespace commmap::spank
