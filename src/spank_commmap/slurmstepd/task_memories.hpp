#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/handle.hpp"

namespace commmap::spank {

/// Memory for what the recorded tasks of this node note: a file without a name for each, which
/// slurmstepd holds until they are gone. Nothing of it is read here but how far each came.
class TaskMemories {
public:
    /// Once, before the tasks are forked. Fewer, or none, where there are not enough descriptors.
    void make(std::uint32_t num_tasks);
    /// In the task: leaves it its own at exec; what record_memory_variable says of it. Empty when
    /// there is none.
    [[nodiscard]] std::string hand_over(std::uint32_t local_id);
    /// Another task has ended.
    void one_ended() { ++ended_; }
    /// All have, and of the last ones nobody has what they recorded. True once.
    [[nodiscard]] bool take_what_is_left();
    /// The same, whether or not all were seen to end.
    [[nodiscard]] bool take_anything_left();
    /// One of them is rank 0's, which has gathered the reports of all.
    [[nodiscard]] bool has_whole_run() const;
    /// For the program that reads them; ascending.
    [[nodiscard]] std::vector<int> descriptors() const;

private:
    /// Without closing: they are not ours.
    void forget();

    std::vector<FileDescriptor> files_;
    pid_t owner_ = 0;
    std::uint32_t num_tasks_ = 0;
    std::uint32_t ended_ = 0;
    bool taken_ = false;
};

}  // namespace commmap::spank
