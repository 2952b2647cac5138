// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap {

/// Closes all file descriptors from `first` on. For a child process, between fork() and exec or
/// when the child lives on. An inherited pipe would make the reader of the parent's output wait for
/// the child. Uses system calls only. Kernels before 5.9 have no close_range. There it closes what
/// /proc/self/fd lists; without /proc, the descriptors below the limit of open files, at most the
/// first million.
void close_from(int first);

}  // namespace commmap
