#pragma once

#include <mpi.h>

#include <cstdint>

#include "pmix_hooks/call.hpp"
#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/recorder.hpp"

namespace commmap::hooks {

/// One receive in so many of a thread is looked at. A prime: a program with some receives in each
/// iteration has each of them looked at in turn.
inline constexpr std::uint32_t receives_per_look = 127;

/// Receives of this thread until the next one that is looked at.
inline constinit thread_local std::uint32_t receives_until_look = 1;

/// Whether the receive that this thread is about to begin is one that is looked at.
[[nodiscard]] inline bool is_time_to_look() noexcept {
    if (--receives_until_look != 0) [[likely]]
        return false;
    receives_until_look = receives_per_look;
    return recorder.timed() && call_depth == 0;
}

/// Notes whether the message of a receive is there before that receive begins. Asking makes MPI's
/// library progress, as the receive itself is about to.
inline void look_for_message(int source, int tag, MPI_Comm comm) noexcept {
    if (source == MPI_PROC_NULL) return;
    int is_there = 0;
    MPI_Status unused;
    // what MPI calls on the way is not the program's
    ++call_depth;
    const int result = PMPI(Iprobe)(source, tag, comm, &is_there, &unused);
    --call_depth;
    if (result == MPI_SUCCESS) recorder.looked(is_there != 0);
}

}  // namespace commmap::hooks
