// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap::hooks {

/// Returns the descriptor of the memfd that slurmstepd made for this task's record
/// (record_memory_variable); -1 when there is none.
/// From now on the descriptor is closed at exec.
[[nodiscard]] int handed_memory() noexcept;

}  // namespace commmap::hooks
