#pragma once

namespace commmap {

/// Closes all descriptors from this one on. For a child between fork() and exec, or one that lives
/// on: who reads what its parent writes must not wait for it. System calls only; with kernels
/// before 5.9 (no close_range) up to the limit of open files, at most 65,536.
void close_from(int first);

}  // namespace commmap
