// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace commmap::hooks {

/// Times at which a wrapped call began and returned (clock.hpp); zeros where calls are not timed.
struct CallTimes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    /// Returns the length of the call; 0 where the clocks of two CPUs differ by more.
    [[nodiscard]] std::uint64_t ticks() const noexcept { return end > begin ? end - begin : 0; }
};

/// Times of this thread's last outermost call.
inline constinit thread_local CallTimes last_call;

}  // namespace commmap::hooks
