// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/config/options.hpp"
#include "spank_commmap/process/limited_program.hpp"
#include "spank_commmap/srun/request/step_request.hpp"

namespace commmap::spank {

// These functions tell srun which profiles a user has. They look at names of files, or ask
// `commmap`.

/// Time that srun waits for such a look, for a home directory may not answer.
inline constexpr std::chrono::milliseconds longest_for_directory{1000};

/// Returns whether the directory has a run of that job step.
[[nodiscard]] bool has_profile_of_step(const std::string& directory, std::uint32_t job,
                                       std::uint32_t step);

/// Returns whether the directory has any profile.
[[nodiscard]] bool has_profiles(const std::string& directory);

/// Returns the identity of the program that a command starts, with options.tag.
/// Empty when the directory `profiles` and the site's have no profile of that program on so many
/// ranks, or `commmap` does not answer.
/// @param program  `commmap`, by its absolute path
/// @param run      runs it
/// Cost: `commmap` is started, and reads the executable; ten seconds at most.
[[nodiscard]] std::string identity_with_profile(const LocatedCommand& command,
                                                const std::string& program, const Options& options,
                                                const std::string& profiles,
                                                std::uint32_t num_ranks, const RunProgram& run);

}  // namespace commmap::spank
