#pragma once

#include <string_view>

namespace commmap::spank {

/// One line "commmap: <text>" on the user's standard error, written at once so that lines of
/// several tasks do not mix. Control characters become spaces; at most 1000 characters. Only in
/// srun, and in a task as the user: slurmd and slurmstepd have no standard error of their own.
void print_line(std::string_view text);

}  // namespace commmap::spank
