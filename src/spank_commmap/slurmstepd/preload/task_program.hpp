// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <memory>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "spank_commmap/slurmstepd/preload/task_agent.h"

namespace commmap::spank {

/// The program of a task, as far as it matters for what is loaded into it.
struct TaskProgram {
    std::string word;       ///< by which the user names it
    std::string directory;  ///< in which it starts; empty: unknown
    CommmapExecutable executable;

    /// Returns whether the dynamic linker loads libraries into this program, or into one that this
    /// script starts.
    [[nodiscard]] bool takes_libraries() const {
        return executable.kind == COMMMAP_DYNAMIC || executable.kind == COMMMAP_SCRIPT;
    }
};

/// Finds and inspects the program of this task. Runs in the task, as the user.
/// @return  nullptr when there is none: the task will fail by itself
/// Errors: not_found when commmap_task.so cannot be loaded on this node.
[[nodiscard]] Result<std::unique_ptr<TaskProgram>> program_of_task(spank_t spank);

/// Returns why a library cannot be preloaded into a program; empty where nothing speaks against it.
/// A library that the program's C library refuses ends the program.
/// @param library            its name in the line: "the recorder"
/// @param more_on_container  end of the line about a container
[[nodiscard]] std::string why_not_preloaded(const TaskProgram& program, std::string_view library,
                                            std::string_view more_on_container);

}  // namespace commmap::spank
