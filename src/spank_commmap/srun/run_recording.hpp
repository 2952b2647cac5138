// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "commmap/result.hpp"
#include "core/history/record/run_record.hpp"
#include "spank_commmap/srun/launch_actions.hpp"
#include "spank_commmap/srun/launch_facts.hpp"
#include "spank_commmap/srun/run_watch.hpp"

namespace commmap::spank {

/// Leaves the record of a run beside the profiles, once the step has ended well.
/// Two places see srun's end, the exit hook and an exit handler, and their order depends on the
/// release of Slurm. The later one leaves the record.
class RunRecording {
public:
    /// @param launch  read when it is needed; must live as long as this object
    RunRecording(const LaunchFacts& launch, LaunchActions& actions)
        : launch_(launch), actions_(actions) {}

    /// Returns the note of what the planner said about the run; the planner's callers write it.
    [[nodiscard]] RunWatch& watch() { return watch_; }
    /// Sets whether the user gets a line on how long the step took.
    void tell_outcome(bool tells) { tells_outcome_ = tells; }

    /// Begins to watch, as the last thing before tasks start. Asks nobody: once the tasks run, the
    /// environment has what the record needs.
    /// This object must live until the process ends.
    void begin();
    /// Notes that the exit hook was called: all tasks have ended.
    void end() { watch_.end(); }
    /// Leaves the record when srun's exit code is known too. A record that cannot be written is
    /// missing, without a line about it.
    void leave();

private:
    static void at_exit(int status, void* run_recording);
    void note_status(int status);
    [[nodiscard]] bool note_unplanned();
    void hand_clock_over();
    bool may_be_compared(RunRecord& record, const std::string& profiles);
    Status put_record();
    void forget_time();

    const LaunchFacts& launch_;
    LaunchActions& actions_;
    RunWatch watch_;
    std::string clock_file_;  ///< file of rank 0's time; empty: none is wanted
    bool tells_outcome_ = false;
    pid_t process_ = 0;          ///< process that leaves the record; 0: none does
    std::optional<int> status_;  ///< srun's exit code, when it is known
};

}  // namespace commmap::spank
