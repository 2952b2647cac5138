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

/// srun's command line for a launch in the order of a host file: every option as --name=value in
/// the old order, without those that Slurm ignores or refuses beside a host file (--nodes is an
/// error from 23.11 on) and without the user's
/// --commmap; then --ntasks and our own --commmap; then the command unchanged.
/// Where srun made the allocation itself, also without what was meant for that: `own_allocation`.
[[nodiscard]] std::vector<std::string> placed_command_line(const SrunArgs& args,
                                                           std::size_t num_tasks,
                                                           const std::string& commmap_value,
                                                           bool own_allocation);

/// A job that srun made itself, and its shepherd's pipe.
struct OwnJob {
    std::uint32_t job = 0;
    int shepherd = -1;
};

/// Marks the process that was re-executed: a process number (exec keeps it), the descriptor of the
/// host file, and the job when srun made it itself. A copy of the variable in any other process's
/// environment means nothing.
struct Relaunch {
    static constexpr const char* variable = relaunch_variable;
    int hostfile_fd = -1;
    std::optional<OwnJob> own_job;

    /// From this process's environment; nullopt: not a re-executed srun.
    [[nodiscard]] static std::optional<Relaunch> of_this_process();
};

/// Variables that the second srun would read as options that no longer fit are set aside for it,
/// and put back there once it has read its options, before the tasks' environment is made. A
/// dropped
/// --ntasks-per-node becomes the variable that it would have become.
void set_aside_variables(const SrunArgs& args, bool own_allocation);
void put_back_variables();

/// The host file in memory: nothing is left on a disk, however srun ends. Path: /proc/self/fd/N.
[[nodiscard]] Result<FileDescriptor> hostfile_in_memory(std::string_view content);

/// Replaces this process by srun with another command line, in the state `at_start`. A blocked
/// signal that came meanwhile stays pending and is met by the new srun as by any srun. Returns only
/// on failure: the environment is as before, handlers of signals are gone.
[[nodiscard]] Error relaunch(const SrunArgs& args, const std::vector<std::string>& argv,
                             const FileDescriptor& hostfile, const std::optional<OwnJob>& own_job,
                             const ProcessState& at_start);

}  // namespace commmap::spank
