#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/history/prediction_error.hpp"
#include "core/history/run_record.hpp"

namespace commmap {

/// The default came back for a basis: its placed runs had lost.
struct Reversal {
    std::uint64_t decided_unix_s = 0;
    double slower_by = 0.0;  ///< as in Loss, and so is chance
    double chance = 0.0;
    std::uint64_t num_default = 0;  ///< runs until then
    std::uint64_t num_placed = 0;

    [[nodiscard]] bool operator==(const Reversal&) const = default;
};

/// Runs of one kind: the last ones, and how many there were before.
struct RunArm {
    std::uint64_t basis = 0;    ///< of placed runs; 0: runs of the default
    std::vector<PastRun> runs;  ///< in the order in which they were added, at most most_runs
    std::uint64_t num_older = 0;
    // of placed runs only
    unsigned last_look = 0;  ///< of the rule in reversal.hpp
    std::optional<Reversal> reversal;
    std::optional<PredictionError> error;

    static constexpr std::size_t most_runs = 64;
    [[nodiscard]] std::uint64_t num_runs() const { return num_older + runs.size(); }
    [[nodiscard]] std::vector<double> wall_s() const;
    [[nodiscard]] bool operator==(const RunArm&) const = default;
};

/// Runs that may be compared: of one shape of allocation and the same arguments, by one clock.
struct RunGroup {
    std::uint32_t num_nodes = 0;
    std::uint64_t shape = 0;
    std::uint64_t arguments = 0;
    RunClock clock = RunClock::step;
    RunArm by_default;
    /// One for each basis: what placements were planned from (profile, cluster YAML, options). At
    /// most most_bases; the one that was used last is at the end.
    std::vector<RunArm> placed;

    static constexpr std::size_t most_bases = 4;
    /// nullptr: no placed run has it.
    [[nodiscard]] const RunArm* find(std::uint64_t basis) const;
    [[nodiscard]] bool operator==(const RunGroup&) const = default;
};

/// What is known of the runs of one program on so many ranks. Bounded, however many there were.
class ProgramHistory {
public:
    static constexpr std::size_t most_groups = 32;  ///< by each clock

    ProgramHistory() = default;
    ProgramHistory(std::string application_id, std::uint32_t num_ranks)
        : application_id_(std::move(application_id)), num_ranks_(num_ranks) {}

    [[nodiscard]] const std::string& application_id() const { return application_id_; }
    [[nodiscard]] std::uint32_t num_ranks() const { return num_ranks_; }
    [[nodiscard]] const std::string& program() const { return program_; }
    /// The one that was used last is at the end.
    [[nodiscard]] const std::vector<RunGroup>& groups() const { return groups_; }
    /// nullptr: no run of that shape with those arguments, timed so, is known.
    [[nodiscard]] const RunGroup* find(std::uint64_t shape, std::uint64_t arguments,
                                       RunClock clock) const;

    /// Adds a run, by each clock that has its time; asks the rule when a look is due, learns of
    /// predictions. A run that is there already (same job step, moment and wall time) is left out:
    /// false.
    /// @pre check_record(record), and it is of this program and number of ranks
    /// Cost: microseconds; at a look O(most_runs^2).
    bool add(const RunRecord& record);

    /// For who reads it from a file.
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

/// What a plan has to know of all this, as a part of its question: empty while nothing is learnt.
/// Another text, another question: a kept plan obeys what was learnt since.
[[nodiscard]] std::string learnt_text(const RunArm* placed);

}  // namespace commmap
