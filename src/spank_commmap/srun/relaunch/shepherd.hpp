// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

namespace commmap::spank {

/// srun forks a process that cleans up when srun is gone: the shepherd, which waits at a pipe.
/// On a byte from the pipe the shepherd ends. At the end of the pipe it kills the step and gives
/// the job back.
/// Both sides outlive an exec of srun.

/// Returns the write end of that pipe: the descriptor of this process whose other end only one of
/// its children reads.
/// nullopt when there is none, or more than one.
[[nodiscard]] std::optional<int> shepherd_pipe();

/// Tells the shepherd that there is nothing left to clean up.
void dismiss_shepherd(int pipe);

}  // namespace commmap::spank
