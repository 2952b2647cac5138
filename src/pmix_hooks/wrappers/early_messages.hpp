// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include <cstdint>

#include "pmix_hooks/mpi/mpi_library.hpp"
#include "pmix_hooks/recorder.hpp"
#include "pmix_hooks/wrappers/call.hpp"

namespace commmap::hooks {

/// One receive of each thread in this many is looked at.
/// The number is a prime, so that a program with some receives in each iteration has each of them
/// looked at in turn.
inline constexpr std::uint32_t receives_per_look = 127;

/// Number of this thread's receives until the next one that is looked at.
inline constinit thread_local std::uint32_t receives_until_look = 1;

/// Counts a receive that this thread is about to begin, and returns whether to look at it.
[[nodiscard]] inline bool is_time_to_look() noexcept {
    if (--receives_until_look != 0) [[likely]]
        return false;
    receives_until_look = receives_per_look;
    return recorder.timed() && call_depth == 0;
}

/// Scope in which calls that MPI makes are not the program's: they are not recorded.
class InnerCalls {
public:
    InnerCalls() noexcept { ++call_depth; }
    ~InnerCalls() { --call_depth; }
    InnerCalls(const InnerCalls&) = delete;
    InnerCalls& operator=(const InnerCalls&) = delete;
};

/// Notes whether the message of a receive is there before that receive begins.
/// The question makes MPI's library progress, as the receive itself is about to.
/// For arguments that the receive would refuse, the communicator's error handler is called twice.
/// An exception of that handler passes through.
inline void look_for_message(int source, int tag, MPI_Comm comm) {
    if (source == MPI_PROC_NULL) return;
    int is_there = 0;
    MPI_Status unused;
    const InnerCalls inner;
    const int result = PMPI(Iprobe)(source, tag, comm, &is_there, &unused);
    if (result == MPI_SUCCESS) recorder.looked(is_there != 0);
}

}  // namespace commmap::hooks
