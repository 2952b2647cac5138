// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <string>
#include <utility>

#include "commmap/result.hpp"
#include "spank_commmap/slurmstepd/preload/container_check.hpp"
#include "spank_commmap/slurmstepd/record_collection.hpp"
#include "spank_commmap/slurmstepd/step_option.hpp"
#include "spank_commmap/slurmstepd/task_binding.hpp"

namespace commmap::spank {

/// One step on one node: the state that slurmstepd keeps between Slurm's hooks, and the work of
/// each hook.
/// The table in plugin.cpp shows all hooks in all situations.
///
/// While still root, this code never parses a user's text. It only tests whether a value starts
/// with a known word.
class StepHooks {
public:
    explicit StepHooks(NodeQuestion question = {}) : binding_(std::move(question)) {}
    StepHooks(const StepHooks&) = delete;
    StepHooks& operator=(const StepHooks&) = delete;

    /// Removes variables that a plain launch lacks, in slurmstepd, before the MPI plugin reads its
    /// variables.
    /// For releases whose own map of nodes is wrong, hands the MPI plugin MPICH's map, as srun
    /// wrote it and unread.
    void init(spank_t spank);
    /// Keeps the value of --commmap as it came.
    void option(const char* value) { option_.keep(value); }
    /// Prepares the binding of a placed step, or the memory in which recorded tasks note what they
    /// do.
    /// Runs in slurmstepd with the user's rights, once before its tasks are forked.
    [[nodiscard]] Status user_init(spank_t spank, const StepOption::Arguments& plugstack);
    /// Removes our variables, binds a placed task, and sets up the recorder in profile mode.
    /// Runs in the task, as the user, just before its program starts.
    /// Does nothing in batch scripts, interactive shells and the extern step. task_hooks.cpp has
    /// this hook.
    [[nodiscard]] Status task_init(spank_t spank, const StepOption::Arguments& plugstack);
    /// Tells RecordCollection that a task has ended. Runs in slurmstepd, as root, after each task
    /// and before srun hears of it.
    [[nodiscard]] Status task_exit(spank_t spank) { return records_.task_ended(spank); }
    /// Collects records of tasks that were not seen to end, or keeps what hwloc says about the
    /// node.
    /// Runs in slurmstepd, as root, after the tasks.
    [[nodiscard]] Status exit(spank_t spank);

private:
    void take_placed_value(spank_t spank, const std::string& value) const;

    StepOption option_;
    ContainerCheck containers_;
    RecordCollection records_;
    TaskBinding binding_;
};

}  // namespace commmap::spank
