#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace commmap {

/// Where rank 0 of a job step leaves its time for srun (history=mpi): a decimal number of seconds
/// in a line, in history/new of a directory of profiles. Its name is a new one each time: a job
/// that is queued again has the same numbers.
[[nodiscard]] std::string new_clock_file(const std::string& profiles, std::uint32_t job,
                                         std::uint32_t step);

/// Whether a file of history/new is one of those.
[[nodiscard]] bool is_clock_file(std::string_view name);

/// Reads and removes it. The step took step_s seconds.
/// none: it is not there, or not in a directory of this user's, or what it says makes no sense: a
/// program may write what it likes.
[[nodiscard]] std::optional<double> take_clock_file(const std::string& path, double step_s);

}  // namespace commmap
