#pragma once

namespace commmap {

/// Closes all descriptors from this one on. For a child between fork() and exec, or one that lives
/// on: who reads what its parent writes must not wait for it. System calls only. With kernels
/// before 5.9, which have no close_range, those that /proc/self/fd lists; where there is no /proc
/// those below the limit of open files, at most the first million.
void close_from(int first);

}  // namespace commmap
