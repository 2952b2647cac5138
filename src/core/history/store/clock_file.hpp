// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commmap {

/// Names the file in which rank 0 of a job step leaves its run time for srun (history=mpi). The
/// file is in history/new of a directory of profiles, and holds one line: a decimal number of
/// seconds. Each call gives a new name, because a job that is queued again has the same numbers.
[[nodiscard]] std::string new_clock_file(const std::string& profiles, std::uint32_t job,
                                         std::uint32_t step);

/// Tells whether a file name of history/new is that of a clock file.
[[nodiscard]] bool is_clock_file(std::string_view name);

/// Reads and removes a clock file.
/// @param step_s  run time of the step as srun saw it
/// @return        nullopt when the file is missing, is not in a directory of this user's, or holds
///                a time that cannot be true: a program may write any text
[[nodiscard]] std::optional<double> take_clock_file(const std::string& path, double step_s);

}  // namespace commmap
