// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace commmap {

/// The clock by which a run is timed. `step` is the time of the job step as srun sees it. `mpi` is
/// rank 0's time from the return of MPI_Init to the begin of MPI_Finalize.
enum class RunClock : std::uint8_t { step, mpi };

inline constexpr std::array<std::string_view, 2> run_clock_names{"step", "mpi"};

/// Returns the name as users write it.
[[nodiscard]] constexpr std::string_view name_of(RunClock clock) {
    return run_clock_names.at(static_cast<std::size_t>(clock));
}

}  // namespace commmap
