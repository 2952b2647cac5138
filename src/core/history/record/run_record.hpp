// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/base/run_clock.hpp"

namespace commmap {

/// How srun launched a run. All ways but `placed` ran in Slurm's default placement.
enum class LaunchedAs : std::uint8_t {
    placed,    ///< in the planned order, or bound to the planned CPUs
    kept,      ///< auto planned, and Slurm's own placement was as good
    profiled,  ///< --commmap=profile
    off,       ///< --commmap=off, at a site that counts such runs
    explored,  ///< auto had a plan, but ran the default to compare with it
    reversed,  ///< auto had a plan whose placements had lost against the default
};
[[nodiscard]] std::string_view name_of(LaunchedAs launched_as);

/// One run of a program, with what is needed to compare it with other runs.
struct PastRun {
    std::uint64_t ended_unix_s = 0;
    double wall_s = 0.0;       ///< run time by the group's clock, which is monotonic
    double predicted_s = 0.0;  ///< predicted for the placement that ran; 0: no prediction
    double default_s = 0.0;    ///< predicted for Slurm's own placement; 0: no prediction
    double error = 0.0;       ///< relative error of predicted_s, as it was known then; 0: not known
    std::uint64_t basis = 0;  ///< digest of the plan's inputs: profile, cluster YAML and options
    std::uint64_t placement = 0;  ///< digest of the planned order and CPUs; 0: none
    std::uint32_t job = 0;
    std::uint32_t step = 0;
    LaunchedAs launched_as = LaunchedAs::off;

    [[nodiscard]] bool operator==(const PastRun&) const = default;
};

/// The record that one launch leaves behind: its run, and which runs it may be compared with.
struct RunRecord {
    /// The program's identity with its tag. Empty: srun does not know it (profile mode). The
    /// profile of that job step then has it, and mpi_s too.
    std::string application_id;
    std::string program;  ///< end of the program's path, for people
    std::uint32_t num_ranks = 0;
    std::uint32_t num_nodes = 0;
    std::uint64_t shape = 0;          ///< run_shape()
    std::uint64_t arguments = 0;      ///< arguments_digest(); 0 when a tag stands for them
    PastRun run;                      ///< its wall_s is the step's, as srun sees it
    RunClock clock = RunClock::step;  ///< with mpi, the run counts by mpi_s too
    double mpi_s = 0.0;               ///< 0: not known

    [[nodiscard]] bool operator==(const RunRecord&) const = default;
};

/// The largest record file, in bytes.
inline constexpr std::size_t most_record_bytes = 512;
/// The longest program name in a record, in bytes.
inline constexpr std::size_t most_program_bytes = 64;

/// Checks a record: times are positive and finite, numbers of ranks and nodes fit together, and
/// strings fit the file. A clock that jumped, a damaged file, or another program's file may hold
/// anything.
/// Errors: invalid_input.
[[nodiscard]] Status check_record(const RunRecord& record);

/// Encodes a record to at most most_record_bytes. Errors: as check_record().
[[nodiscard]] Result<std::string> encode_record(const RunRecord& record);

/// Decodes a record. Errors: not_supported for another version; corrupt.
[[nodiscard]] Result<RunRecord> decode_record(std::string_view content);

}  // namespace commmap
