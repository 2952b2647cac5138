#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/base/run_clock.hpp"

namespace commmap {

/// How srun launched a run. All but `placed` ran as Slurm places them.
enum class LaunchedAs : std::uint8_t {
    placed,    ///< in the planned order, or bound to the planned CPUs
    kept,      ///< auto looked, and Slurm's own placement was as good
    profiled,  ///< --commmap=profile
    off,       ///< --commmap=off, where the site counts those
    explored,  ///< auto had a plan, and the default was run to compare with
    reversed,  ///< auto had a plan that had lost against the default
};
[[nodiscard]] std::string_view name_of(LaunchedAs launched_as);

/// One run of a program, as it is compared with others.
struct PastRun {
    std::uint64_t ended_unix_s = 0;
    double wall_s = 0.0;          ///< by the group's clock, which does not jump
    double predicted_s = 0.0;     ///< of the placement that ran; 0: nothing was predicted
    double default_s = 0.0;       ///< predicted of Slurm's own placement; 0: as above
    double error = 0.0;           ///< relative, of predicted_s, as it was known then; 0: not known
    std::uint64_t basis = 0;      ///< what the plan was made of, see RunRecord
    std::uint64_t placement = 0;  ///< digest of the order and CPUs that were planned; 0: none
    std::uint32_t job = 0;
    std::uint32_t step = 0;
    LaunchedAs launched_as = LaunchedAs::off;

    [[nodiscard]] bool operator==(const PastRun&) const = default;
};

/// What one launch leaves behind: one run, and which runs it may be compared with.
struct RunRecord {
    /// With the tag. Empty: srun does not know it (profile mode); the profile of that job step has
    /// it, and mpi_s too.
    std::string application_id;
    std::string program;  ///< for people: the end of its path
    std::uint32_t num_ranks = 0;
    std::uint32_t num_nodes = 0;
    std::uint64_t shape = 0;          ///< run_shape()
    std::uint64_t arguments = 0;      ///< arguments_digest(); 0 with a tag, which stands for them
    PastRun run;                      ///< wall_s is the step's, as srun sees it
    RunClock clock = RunClock::step;  ///< with mpi the run counts by mpi_s too
    double mpi_s = 0.0;               ///< 0: not known

    [[nodiscard]] bool operator==(const RunRecord&) const = default;
};

/// Of the file that a launch writes.
inline constexpr std::size_t most_record_bytes = 512;
/// Of a program's name in it.
inline constexpr std::size_t most_program_bytes = 64;

/// Times are positive and finite, numbers of ranks and nodes fit together, strings fit the file.
/// A clock that jumped, a damaged file or another program's may say anything. Error: invalid_input.
[[nodiscard]] Status check_record(const RunRecord& record);

/// At most most_record_bytes. Errors: those of check_record.
[[nodiscard]] Result<std::string> encode_record(const RunRecord& record);

/// Errors: not_supported (another version), corrupt.
[[nodiscard]] Result<RunRecord> decode_record(std::string_view content);

}  // namespace commmap
