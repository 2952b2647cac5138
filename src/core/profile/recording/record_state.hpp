#pragma once

#include <cstddef>
#include <cstdint>

namespace commmap {

/// How far a recorded rank came: what slurmstepd looks at, of the memory that it gave the task.
enum class RecordState : std::uint32_t {
    nothing,      ///< no MPI_Init
    running,      ///< or killed while it did
    finished,     ///< in MPI_Finalize, and nobody has its record yet
    handed_over,  ///< its record has gone to rank 0: there is nothing to collect
    given_up,     ///< memory was short, or MPI refused: the sums are not all
    gathered,     ///< rank 0 in MPI_Finalize: the records of all ranks are here
};
/// Whether somebody else has to read what is in it.
[[nodiscard]] inline bool is_to_be_collected(RecordState state) {
    return state == RecordState::running || state == RecordState::finished ||
           state == RecordState::gathered;
}
/// Where it is in that memory, in bytes; the first process of a task that changes it from nothing
/// has the memory.
inline constexpr std::size_t record_state_offset = 8;
/// How long that memory is, always.
inline constexpr std::size_t record_memory_bytes = std::size_t{64} << 20;

/// Set for every task of a step with more tasks than most_ranks_asked: no rank asks who records,
/// and one without that memory is not recorded. The same for all, or some would wait for the
/// others.
inline constexpr const char* record_apart_variable = "COMMMAP_RECORD_APART";
inline constexpr std::uint32_t most_ranks_asked = 4096;

/// The variable that tells a task of its memory: "<descriptor>:<device>:<inode>".
inline constexpr const char* record_memory_variable = "COMMMAP_RECORD_MEMORY";

}  // namespace commmap
