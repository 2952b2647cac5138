// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>

#include <string>

#include "commmap/result.hpp"
#include "spank_commmap/slurmstepd/task_memories.hpp"

namespace commmap::spank {

/// Keeps what the tasks of this node recorded and could not gather themselves.
/// The tasks record in memory that slurmstepd holds (TaskMemories). After the last task,
/// commmap-collect reads that memory as the user.
class RecordCollection {
public:
    /// Makes the memory. Called once, before the tasks are forked.
    void prepare(spank_t spank);
    /// Hands a task its memory, in the task. Returns the value of record_memory_variable; empty
    /// when there is no memory.
    [[nodiscard]] std::string hand_over(spank_t spank);
    /// Notes that a task has ended, and collects after the last one. Takes at most collect_seconds.
    [[nodiscard]] Status task_ended(spank_t spank);
    /// Returns, once, whether anything is left to collect. For a step that ends although not all
    /// tasks were seen to end.
    [[nodiscard]] bool take_anything_left() { return memories_.take_anything_left(); }
    /// Collects, as task_ended() does after the last task.
    /// Errors: library, io. If only one node needs to report something, it is an error on that node
    /// only.
    [[nodiscard]] Status collect(spank_t spank) const;

private:
    TaskMemories memories_;
};

}  // namespace commmap::spank
