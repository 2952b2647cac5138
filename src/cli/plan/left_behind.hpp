// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "commmap/deadline.hpp"

namespace commmap::cli {

enum class Process { asked, left_behind };

/// Forks, so that work goes on after this process has answered and ended.
///
/// @return  asked: this process, which may end at once; also when no other process could be made.
///          left_behind: the new process.
/// The new process
/// - is in a process group of its own, so that it outlives a kill of the asked process's group;
/// - has /dev/null for its standard streams, and no other descriptors;
/// - has the lowest priority;
/// - is killed after ten seconds by the clock;
/// - is killed after 0.1 s of CPU time, unless deadline_by_cpu_time() is called before.
/// @pre no other thread is at work
[[nodiscard]] Process leave_process_behind();

/// Returns a deadline that passes when the process has used `seconds` of CPU time, all threads
/// together.
/// Work that does not look at the deadline ends with the process after twice that time.
/// Must be called at most once in a process.
[[nodiscard]] Deadline deadline_by_cpu_time(double seconds);

}  // namespace commmap::cli
