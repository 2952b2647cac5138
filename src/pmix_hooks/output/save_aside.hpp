#pragma once

#include <string_view>

namespace commmap::hooks {

/// On rank 0, where no slurmstepd holds what is recorded: has commmap-collect, which lies beside
/// this library, save the profile of all ranks, and waits for at most five seconds. A program of
/// its own does it, for a file system may keep a process waiting for ever. Says what became of it
/// when it went wrong, or with COMMMAP_VERBOSE=1.
/// @param records  a frame for each rank (core/base/frames.hpp)
void save_aside(std::string_view records, int size) noexcept;

}  // namespace commmap::hooks
