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

/// Name of the option's variables: what salloc and sbatch hand to a later srun, and srun to its
/// tasks.
inline constexpr const char* handed_on_variable = "SLURM_SPANK__SLURM_SPANK_OPTION_commmap_commmap";
inline constexpr const char* option_variable = "_SLURM_SPANK_OPTION_commmap_commmap";

/// A task's environment (remote contexts).
[[nodiscard]] std::optional<std::string> task_variable(spank_t spank, std::string_view name);
void set_task_variable(spank_t spank, const char* name, const std::string& value);
void unset_task_variable(spank_t spank, const char* name);

/// A number that Slurm knows about the step or the task (items of type uint32_t*).
[[nodiscard]] std::optional<std::uint32_t> number_item(spank_t spank, spank_item_t item);
/// S_TASK_ID: its type is int*.
[[nodiscard]] std::optional<std::uint32_t> local_task_id(spank_t spank);
/// Whose job it is, with all groups (remote contexts).
[[nodiscard]] std::optional<ProgramUser> job_user(spank_t spank);
/// Program and arguments of the step; copied.
[[nodiscard]] std::vector<std::string> step_command(spank_t spank);

/// The environment of a task, for the readers of options (remote contexts).
[[nodiscard]] Environment environment_of_task(spank_t spank);
/// False for batch scripts, interactive shells and the extern step.
[[nodiscard]] bool runs_tasks(spank_t spank);
/// One task of the step, rank 0, speaks for all.
[[nodiscard]] bool speaks_for_step(spank_t spank);

/// plugstack arguments of this plugin.
[[nodiscard]] std::vector<std::string_view> plugstack_arguments(int argc, char** argv);

}  // namespace commmap::spank
