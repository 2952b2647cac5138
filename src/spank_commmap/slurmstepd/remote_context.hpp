#pragma once

#include <slurm/spank.h>

#include <string>

#include "commmap/result.hpp"

namespace commmap::spank {

/// What happens on a node, in slurmstepd. Of what a user writes only the first letters are compared
/// before a task has become the user.
class RemoteContext {
public:
    /// In slurmstepd, before the MPI plugin reads its variables: takes
    /// variables away that a plain launch has not, and hands the plugin MPICH's map of nodes as
    /// srun wrote it, unread, for releases whose own is wrong.
    static void init(spank_t spank);
    /// The value of --commmap, kept as it came.
    static void option(const char* value);
    /// In slurmstepd with the user's rights, once before its tasks are forked: what root has kept
    /// of the node's CPUs for those of a placed step, or memory in which they share it.
    /// And the memory in which recorded tasks note what they do.
    [[nodiscard]] static Status user_init(spank_t spank, int argc, char** argv);
    /// In the task, as the user, just before its program starts: forgets our variables, binds a
    /// placed task (the first of a node asks hwloc, by a program of its own, for all), sets up the
    /// recorder in profile mode. Does nothing in batch scripts, interactive shells and the extern
    /// step.
    [[nodiscard]] static Status task_init(spank_t spank, int argc, char** argv);
    /// In slurmstepd, as root, after each task and before srun hears of it. After the last one,
    /// what tasks recorded and could not gather themselves is kept for the profile, by a program
    /// that is the user (collect_seconds at most).
    [[nodiscard]] static Status task_exit(spank_t spank);
    /// In slurmstepd, as root, after the tasks: when one of them had to ask hwloc, asks it as well
    /// and keeps the answer for the steps to come. The end of the job may end the question too
    /// (proctrack/linuxproc); then the next step asks.
    [[nodiscard]] static Status exit(spank_t spank);
};

}  // namespace commmap::spank
