#pragma once

#include <slurm/spank.h>

#include <string>

#include "commmap/result.hpp"
#include "spank_commmap/slurmstepd/task_memories.hpp"

namespace commmap::spank {

/// Keeps what the tasks of this node record and could not gather themselves. The tasks note it in
/// memory that slurmstepd holds (TaskMemories); commmap-collect, which is the user, reads it after
/// the last task.
class RecordCollection {
public:
    /// Makes the memory, once, before the tasks are forked.
    void prepare(spank_t spank);
    /// In the task: what record_memory_variable says of its memory. Empty when there is none.
    [[nodiscard]] std::string hand_over(spank_t spank);
    /// A task has ended; after the last one, collects. Takes at most collect_seconds.
    [[nodiscard]] Status task_ended(spank_t spank);
    /// The step ends although not all tasks were seen to end: true once, where anything is left.
    [[nodiscard]] bool take_anything_left() { return memories_.take_anything_left(); }
    /// As task_ended() does after the last task.
    /// Errors: library, io. What has to be told by one node alone is an error on that node.
    [[nodiscard]] Status collect(spank_t spank) const;

private:
    TaskMemories memories_;
};

}  // namespace commmap::spank
