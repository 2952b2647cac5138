#pragma once

#include <slurm/spank.h>

#include "commmap/result.hpp"
#include "spank_commmap/handover/option_value.hpp"
#include "spank_commmap/slurmstepd/node/shared_answer.hpp"

namespace commmap::spank {

/// Binds the tasks of a placed step to the CPUs that were planned for them. Which CPUs this node
/// has says hwloc, by a program of its own (commmap-node): root has kept the answer, or the first
/// task asks for all.
class TaskBinding {
public:
    /// In slurmstepd, once before the tasks of a placed step are forked: takes what root has kept
    /// of the node's CPUs, or makes memory in which the tasks share it.
    void prepare();
    /// In the task, as the user. Where the task cannot be bound, its CPUs are left to Slurm; that
    /// is told where other tasks are bound, and with verbose.
    void bind(spank_t spank, const PlacedValue& placed) const;
    /// In slurmstepd, as root, after the tasks: when one of them had to ask hwloc, asks it as well
    /// and keeps the answer for the steps to come. The end of the job may end the question too
    /// (proctrack/linuxproc); then the next step asks.
    [[nodiscard]] Status keep_node() const;

private:
    SharedAnswer node_seen_;
};

}  // namespace commmap::spank
