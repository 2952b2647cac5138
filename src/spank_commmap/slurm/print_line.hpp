// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace commmap::spank {

/// Writes one line "commmap: <text>" to the user's standard error, in one write, so that lines of
/// several tasks do not mix.
/// Control characters become spaces. At most 1000 characters are written.
/// Only for srun, and for a task as the user: slurmd and slurmstepd have no standard error of their
/// own.
void print_line(std::string_view text);

}  // namespace commmap::spank
