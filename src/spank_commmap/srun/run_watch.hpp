// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/history/record/planned_run.hpp"
#include "core/history/record/run_record.hpp"

namespace commmap::spank {

/// Watches one step in srun, and makes the record of a run that ended well. A run that failed or
/// was ended says nothing about placements.
class RunWatch {
public:
    /// Variable that hands the planner's facts on to the second srun.
    static constexpr const char* variable = "COMMMAP_ASIDE_RECORD";

    /// Notes what the planner said. A wrong text counts as none, and an empty text means no record.
    void note_plan(const std::string& text);
    /// Notes that no planner was asked. The identity of the program will be known when the step has
    /// ended.
    /// @param launched_as  profiled or off
    void note_unplanned(LaunchedAs launched_as, std::string program);
    [[nodiscard]] bool wanted() const { return planned_.has_value(); }
    /// Returns the noted text, for `variable`.
    [[nodiscard]] const std::string& text() const { return text_; }

    /// Notes the step, whose tasks are about to start.
    void begin(std::uint32_t job, std::uint32_t step);
    /// Notes that all tasks have ended. Later calls change nothing.
    void end();
    [[nodiscard]] bool ended() const { return ended_ns_ != 0; }

    /// Facts about the launch that the planner does not say.
    struct Launch {
        std::vector<std::uint32_t> tasks_per_node;
        std::uint32_t cpus_per_task = 1;
        std::vector<std::string> words;  ///< words of the command
        std::string tag;                 ///< tag of an unplanned run; else the identity has it
    };
    /// Returns the record; none when nothing was noted, or the step did not begin and end.
    [[nodiscard]] std::optional<RunRecord> record(const Launch& launch) const;

private:
    std::string text_;
    std::optional<PlannedRun> planned_;
    std::uint32_t job_ = 0;
    std::uint32_t step_ = 0;
    std::int64_t began_ns_ = 0;  ///< monotonic clock; 0: not yet
    std::int64_t ended_ns_ = 0;
};

/// Returns "the step took 1.02 s, 980 ms were predicted (4.1 % longer)". Without a prediction the
/// text ends behind the time.
[[nodiscard]] std::string outcome_text(const RunRecord& record);

}  // namespace commmap::spank
