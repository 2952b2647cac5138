#pragma once

#include <slurm/spank.h>

#include <string>

#include "core/base/result.hpp"

namespace commmap::spank {

/// What happens on a node, in slurmstepd. Nothing is read or parsed before a task has become the
/// user.
class RemoteContext {
public:
    /// The value of --commmap, kept as it came.
    static void option(const char* value);
    /// In the task, as the user, just before its program starts: forgets our variables, binds a
    /// placed task, sets up the recorder in profile mode. Does nothing in batch scripts,
    /// interactive shells and the extern step.
    [[nodiscard]] static Status task_init(spank_t spank, int argc, char** argv);
};

}  // namespace commmap::spank
