// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/handle.hpp"

namespace commmap::spank {

/// Memory in which the recorded tasks of this node record: a memfd for each task, which
/// slurmstepd holds until the tasks are gone.
/// This class reads only each task's state from the memory.
class TaskMemories {
public:
    /// Makes the memory, once, before the tasks are forked. Makes fewer files, or none, where there
    /// are not enough descriptors.
    void make(std::uint32_t num_tasks);
    /// Keeps a task's file open at its exec, in the task. Returns the value of
    /// record_memory_variable; empty when there is no file.
    [[nodiscard]] std::string hand_over(std::uint32_t local_id);
    /// Notes that a further task has ended.
    void one_ended() { ++ended_; }
    /// Returns, once, whether all tasks have ended and at least one's record is left to collect.
    [[nodiscard]] bool take_what_is_left();
    /// Does the same, whether or not all tasks were seen to end.
    [[nodiscard]] bool take_anything_left();
    /// Returns whether one of the tasks is rank 0 and has gathered the records of all ranks.
    [[nodiscard]] bool has_whole_run() const;
    /// Returns the descriptors for the program that reads the files, ascending.
    [[nodiscard]] std::vector<int> descriptors() const;

private:
    /// Forgets the descriptors without closing them: in this process their numbers are not ours.
    void forget();

    std::vector<FileDescriptor> files_;
    pid_t owner_ = 0;
    std::uint32_t num_tasks_ = 0;
    std::uint32_t ended_ = 0;
    bool taken_ = false;
};

}  // namespace commmap::spank
