// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "commmap/result.hpp"

namespace commmap {

/// Limits of a call in a child process.
struct CallLimits {
    /// address space; not applied in a build with AddressSanitizer
    std::uint64_t memory_bytes = 0;
    std::uint64_t cpu_seconds = 0;
    std::uint64_t result_bytes = 0;  ///< size of the result
};

/// Calls `work` in a child process, so that a library that crashes, or allocates whatever a damaged
/// file says, ends only the child. The child has no standard streams, leaves no core file, and dies
/// with this process.
///
/// @param work  may throw bad_alloc; must not rely on other threads
/// @return      the text that `work` returned
/// Errors: library ("was killed by signal 11 (Segmentation fault)", "needs more than 2048 MiB");
/// io.
/// Call it only while this process has a single thread: the child gets the calling thread alone,
/// but also the locks that other threads hold.
[[nodiscard]] Result<std::string> call_in_child(const CallLimits& limits,
                                                const std::function<std::string()>& work);

}  // namespace commmap
