#pragma once

#include <cstdint>

namespace commmap::hooks {

/// When a wrapped call began and returned (clock.hpp); zeros where nothing is timed.
struct CallTimes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    /// Clocks of two CPUs may differ by a little.
    [[nodiscard]] std::uint64_t ticks() const noexcept { return end > begin ? end - begin : 0; }
};

/// Of this thread's last outermost call.
inline constinit thread_local CallTimes last_call;

}  // namespace commmap::hooks
