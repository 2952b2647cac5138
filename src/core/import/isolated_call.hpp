#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "commmap/result.hpp"

namespace commmap {

/// What a call in a process of its own may use.
struct CallLimits {
    std::uint64_t memory_bytes =
        0;  ///< address space; not held to in a build with AddressSanitizer
    std::uint64_t cpu_seconds = 0;
    std::uint64_t result_bytes = 0;  ///< of what it returns
};

/// Calls `work` in a child process, so that a library that crashes, or allocates whatever a damaged
/// file says, ends the child alone. The child has no standard streams, leaves no core file, and
/// dies with this process.
///
/// @param work  may throw bad_alloc; must not rely on other threads
/// @return      what it returned; library: "was killed by signal 11 (Segmentation fault)", "needs
///              more than 2048 MiB"; io
/// Not beside threads: the child has only the calling one, and their locks.
[[nodiscard]] Result<std::string> call_in_child(const CallLimits& limits,
                                                const std::function<std::string()>& work);

}  // namespace commmap
