#pragma once

namespace commmap::cli {

/// Forks. True: this is the child, which works on alone: in a process group of its own, with
/// /dev/null for its standard streams and at the lowest priority. The child is killed after
/// used_seconds of CPU time, or twenty times as much by the clock. False: this is the parent, or
/// there is no child. The parent may end at once: what kills its process group spares the child.
///
/// @pre no other thread is at work
[[nodiscard]] bool is_left_behind(double used_seconds);

}  // namespace commmap::cli
