#pragma once

#include "commmap/deadline.hpp"

namespace commmap::cli {

enum class Process { asked, left_behind };

/// Forks, so that work goes on after this process has answered and ended.
///
/// @return  asked: this process, which may end at once; also when there is no other process.
///          left_behind: the new one. It is in a process group of its own, which what kills the
///          asked process's group spares. It has /dev/null for its standard streams, no other
///          descriptors, and the lowest priority. It is killed after ten seconds by the clock, and
///          after 0.1 s of CPU time unless deadline_by_cpu_time() is called before.
/// @pre no other thread is at work
[[nodiscard]] Process leave_process_behind();

/// Passes when the process has used so many seconds of CPU time, all threads together. Work that
/// does not look at the deadline ends with the process after twice that time. Once a process.
[[nodiscard]] Deadline deadline_by_cpu_time(double seconds);

}  // namespace commmap::cli
