// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace commmap {

/// How far a recorded rank has come. It stands in the memory that slurmstepd gave the task, and
/// slurmstepd reads it there.
enum class RecordState : std::uint32_t {
    nothing,      ///< the rank has not called MPI_Init
    running,      ///< the rank runs, or was killed while it ran
    finished,     ///< in MPI_Finalize, and its record has not been sent yet
    handed_over,  ///< its record has gone to rank 0: nothing is left to collect
    given_up,     ///< memory was short, or MPI refused: counts are missing
    gathered,     ///< rank 0 in MPI_Finalize, with the records of all ranks
};
/// Tells whether another process has to collect what the rank recorded.
[[nodiscard]] inline bool is_to_be_collected(RecordState state) {
    return state == RecordState::running || state == RecordState::finished ||
           state == RecordState::gathered;
}
/// Where the state is in that memory, in bytes. Of a task's processes, the first one that changes
/// the state from `nothing` owns the memory.
inline constexpr std::size_t record_state_offset = 8;
/// Size of that memory, in bytes; always the same.
inline constexpr std::size_t record_memory_bytes = std::size_t{64} << 20;

/// An environment variable that is set for every task of a step with more than most_ranks_asked
/// tasks. No rank then asks which ranks record, and a rank without that memory is not recorded. All
/// tasks of a step must agree on this, or some would wait for the others.
inline constexpr const char* record_apart_variable = "COMMMAP_RECORD_APART";
inline constexpr std::uint32_t most_ranks_asked = 4096;

/// The environment variable that tells a task where its memory is: "<descriptor>:<device>:<inode>".
inline constexpr const char* record_memory_variable = "COMMMAP_RECORD_MEMORY";

}  // namespace commmap
