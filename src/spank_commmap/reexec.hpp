#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/handle.hpp"
#include "core/base/result.hpp"
#include "spank_commmap/srun_args.hpp"

namespace commmap::spank {

/// srun's command line for a launch in the order of a host file: every option as --name=value in
/// the old order, without those that Slurm ignores or refuses beside a host file (--nodes is an
/// error from 23.11 on) and without the user's
/// --commmap; then --ntasks and our own --commmap; then the command unchanged.
[[nodiscard]] std::vector<std::string> placed_command_line(const SrunArgs& args,
                                                           std::size_t num_tasks,
                                                           const std::string& commmap_value);

/// Marks the process that was re-executed: a process number (exec keeps it) and the descriptor of
/// the host file. A copy of the variable in any other process's environment means nothing.
struct Relaunch {
    static constexpr const char* variable = "COMMMAP_RELAUNCH";
    int hostfile_fd = -1;

    /// From this process's environment; nullopt: not a re-executed srun.
    [[nodiscard]] static std::optional<Relaunch> of_this_process();
};

/// The host file in memory: nothing is left on a disk, however srun ends. Path: /proc/self/fd/N.
[[nodiscard]] Result<FileDescriptor> hostfile_in_memory(std::string_view content);

/// Replaces this process by srun with another command line. Signals stay blocked as srun blocked
/// them: one that came meanwhile stays pending and is met by the new srun as by any srun. Returns
/// only on failure, environment as before.
[[nodiscard]] Error relaunch(const std::vector<std::string>& argv, const FileDescriptor& hostfile);

}  // namespace commmap::spank
