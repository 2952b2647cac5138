// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/history/prediction_error.hpp"
#include "core/history/record/run_record.hpp"

namespace commmap {

/// Says that the default came back for a basis, because its placed runs had lost.
struct Reversal {
    std::uint64_t decided_unix_s = 0;
    double slower_by = 0.0;  ///< as in Loss, and so is chance
    double chance = 0.0;
    std::uint64_t num_default = 0;  ///< number of default runs at that time
    std::uint64_t num_placed = 0;

    [[nodiscard]] bool operator==(const Reversal&) const = default;
};

/// Runs of one kind (default, or placed by one basis): the last ones, and how many there were
/// before.
struct RunArm {
    std::uint64_t basis = 0;    ///< of placed runs; 0: runs of the default
    std::vector<PastRun> runs;  ///< in the order in which they were added, at most most_runs
    std::uint64_t num_older = 0;
    // of placed runs only
    unsigned last_look = 0;  ///< the last look that was taken, see reversal.hpp
    std::optional<Reversal> reversal;
    std::optional<PredictionError> error;

    static constexpr std::size_t most_runs = 64;
    [[nodiscard]] std::uint64_t num_runs() const { return num_older + runs.size(); }
    [[nodiscard]] std::vector<double> wall_s() const;
    [[nodiscard]] bool operator==(const RunArm&) const = default;
};

/// Runs that may be compared with each other: same shape of allocation, same arguments, same clock.
struct RunGroup {
    std::uint32_t num_nodes = 0;
    std::uint64_t shape = 0;
    std::uint64_t arguments = 0;
    RunClock clock = RunClock::step;
    RunArm by_default;
    /// Placed runs by basis: the profile, cluster YAML and options from which placements were
    /// planned. At most most_bases; the last one used is at the end.
    std::vector<RunArm> placed;

    static constexpr std::size_t most_bases = 4;
    /// Finds the placed runs of a basis; nullptr: there are none.
    [[nodiscard]] const RunArm* find(std::uint64_t basis) const;
    [[nodiscard]] bool operator==(const RunGroup&) const = default;
};

/// The history of one program on one number of ranks. Its size is bounded, however many runs there
/// were.
class ProgramHistory {
public:
    static constexpr std::size_t most_groups = 32;  ///< by each clock

    ProgramHistory() = default;
    ProgramHistory(std::string application_id, std::uint32_t num_ranks)
        : application_id_(std::move(application_id)), num_ranks_(num_ranks) {}

    [[nodiscard]] const std::string& application_id() const { return application_id_; }
    [[nodiscard]] std::uint32_t num_ranks() const { return num_ranks_; }
    [[nodiscard]] const std::string& program() const { return program_; }
    /// Returns the groups; the last one used is at the end.
    [[nodiscard]] const std::vector<RunGroup>& groups() const { return groups_; }
    /// Finds a group; nullptr: no run has that shape, those arguments and that clock.
    [[nodiscard]] const RunGroup* find(std::uint64_t shape, std::uint64_t arguments,
                                       RunClock clock) const;

    /// Adds a run to the group of each clock that has its time. Asks the rule of reversal.hpp when
    /// a look is due, and learns how far predictions were off.
    /// @return  false: the run was there already (same job step, moment and wall time)
    /// @pre check_record(record), and the record is of this program and number of ranks
    /// Cost: microseconds; at a look O(most_runs^2).
    bool add(const RunRecord& record);

    /// Replaces the content, for the reader of a history file.
    void restore(std::string program, std::vector<RunGroup> groups);

    [[nodiscard]] bool operator==(const ProgramHistory&) const = default;

private:
    RunGroup& group_of(const RunRecord& record, RunClock clock);
    bool add_by(RunClock clock, const RunRecord& record);

    std::string application_id_;
    std::uint32_t num_ranks_ = 0;
    std::string program_;  ///< for people
    std::vector<RunGroup> groups_;
};

/// Returns what a plan has to know of a history, as a part of its question; empty: nothing was
/// learnt. A new text makes a new question, so that a kept plan does not outlive what was learnt
/// since.
[[nodiscard]] std::string learnt_text(const RunArm* placed);

}  // namespace commmap
