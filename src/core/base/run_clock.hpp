#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace commmap {

/// By which clock a run is timed: that of the step, as srun sees it, or rank 0's from MPI_Init's
/// return to MPI_Finalize's begin.
enum class RunClock : std::uint8_t { step, mpi };

inline constexpr std::array<std::string_view, 2> run_clock_names{"step", "mpi"};

/// As users write it.
[[nodiscard]] constexpr std::string_view name_of(RunClock clock) {
    return run_clock_names.at(static_cast<std::size_t>(clock));
}

}  // namespace commmap
