#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/srun/request/step_request.hpp"

namespace commmap::spank {

// What srun can tell of a user's profiles. It looks at names of files, or asks `commmap`.

/// How long srun waits for such a look. A home directory may be one that does not answer.
inline constexpr std::chrono::milliseconds longest_for_directory{1000};

/// A run of that job step is in the directory.
[[nodiscard]] bool has_profile_of_step(const std::string& directory, std::uint32_t job,
                                       std::uint32_t step);

/// Any at all.
[[nodiscard]] bool has_profiles(const std::string& directory);

/// Of the program that a command starts, with options.tag. Empty: the directory `profiles` and the
/// site's have no profile of that program on so many ranks, or `commmap` does not answer.
/// @param program  `commmap`, by its absolute path
/// @param run      runs it
/// Cost: `commmap` is started, and reads the executable; ten seconds at most.
[[nodiscard]] std::string identity_with_profile(const LocatedCommand& command,
                                                const std::string& program, const Options& options,
                                                const std::string& profiles,
                                                std::uint32_t num_ranks, const RunProgram& run);

}  // namespace commmap::spank
