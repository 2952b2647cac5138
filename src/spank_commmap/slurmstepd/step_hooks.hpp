#pragma once

#include <slurm/spank.h>

#include "commmap/result.hpp"
#include "spank_commmap/slurmstepd/container_check.hpp"
#include "spank_commmap/slurmstepd/record_collection.hpp"
#include "spank_commmap/slurmstepd/step_option.hpp"
#include "spank_commmap/slurmstepd/task_binding.hpp"

namespace commmap::spank {

/// One step on one node: what slurmstepd knows between Slurm's hooks, and what each hook does. The
/// table in plugin.cpp shows all hooks in all situations.
///
/// While still root, this code never parses a user's text. It only tests whether a value starts
/// with a known word.
class StepHooks {
public:
    StepHooks() = default;
    StepHooks(const StepHooks&) = delete;
    StepHooks& operator=(const StepHooks&) = delete;

    /// In slurmstepd, before the MPI plugin reads its variables: takes variables away that a plain
    /// launch has not, and hands the plugin MPICH's map of nodes as srun wrote it, unread, for
    /// releases whose own is wrong.
    void init(spank_t spank);
    /// The value of --commmap, kept as it came.
    void option(const char* value) { option_.keep(value); }
    /// In slurmstepd with the user's rights, once before its tasks are forked: prepares the binding
    /// of a placed step, or the memory in which recorded tasks note what they do.
    [[nodiscard]] Status user_init(spank_t spank, const StepOption::Arguments& plugstack);
    /// In the task, as the user, just before its program starts: forgets our variables, binds a
    /// placed task, sets up the recorder in profile mode. Does nothing in batch scripts,
    /// interactive shells and the extern step. task_hooks.cpp has this hook.
    [[nodiscard]] Status task_init(spank_t spank, const StepOption::Arguments& plugstack);
    /// In slurmstepd, as root, after each task and before srun hears of it: RecordCollection.
    [[nodiscard]] Status task_exit(spank_t spank) { return records_.task_ended(spank); }
    /// In slurmstepd, as root, after the tasks: collects records of tasks that were not seen to
    /// end, or keeps what hwloc says of the node.
    [[nodiscard]] Status exit(spank_t spank);

private:
    void take_placed_value(spank_t spank, const std::string& value) const;

    StepOption option_;
    ContainerCheck containers_;
    RecordCollection records_;
    TaskBinding binding_;
};

}  // namespace commmap::spank
