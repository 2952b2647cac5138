// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/handle.hpp"
#include "spank_commmap/handover/relaunch_variables.hpp"
#include "spank_commmap/process/process_state.hpp"
#include "spank_commmap/srun/arguments/srun_args.hpp"

namespace commmap::spank {

/// Returns srun's command line for a launch in the order of a host file. It has, in this order,
/// - every option as --name=value, but not the user's --commmap;
/// - --ntasks and our own --commmap;
/// - the command, unchanged.
/// Leaves out options that Slurm ignores or refuses beside a host file (--nodes is an error from
/// 23.11 on).
/// @param own_allocation  srun made the allocation itself: options for the allocation are left out
///                        too
[[nodiscard]] std::vector<std::string> placed_command_line(const SrunArgs& args,
                                                           std::size_t num_tasks,
                                                           const std::string& commmap_value,
                                                           bool own_allocation);

/// A job that srun made itself, and its shepherd's pipe.
struct OwnJob {
    std::uint32_t job = 0;
    int shepherd = -1;
};

/// Mark of the process that was re-executed: a process number (exec keeps it), the descriptor of
/// the host file, and the job if srun made it itself.
/// A copy of the variable in any other process's environment means nothing.
struct Relaunch {
    static constexpr const char* variable = relaunch_variable;
    int hostfile_fd = -1;
    std::optional<OwnJob> own_job;

    /// Reads the mark from this process's environment; nullopt: this is no re-executed srun.
    [[nodiscard]] static std::optional<Relaunch> of_this_process();
};

/// Set aside the variables that the second srun would read as options that no longer fit, and put
/// them back.
/// They are put back there once srun has read its options, before the tasks' environment is made.
/// A dropped --ntasks-per-node becomes the variable that it would have become.
void set_aside_variables(const SrunArgs& args, bool own_allocation);
void put_back_variables();

/// Makes the host file in memory: nothing is left on a disk, however srun ends. Path:
/// /proc/self/fd/N.
[[nodiscard]] Result<FileDescriptor> hostfile_in_memory(std::string_view content);

/// Replaces this process by srun with another command line, in the state `at_start`.
/// A blocked signal that came meanwhile stays pending, and the new srun meets it as any srun does.
/// Returns only on failure: the environment is as before, but the handlers of signals are gone.
[[nodiscard]] Error relaunch(const SrunArgs& args, const std::vector<std::string>& argv,
                             const FileDescriptor& hostfile, const std::optional<OwnJob>& own_job,
                             const ProcessState& at_start);

}  // namespace commmap::spank
