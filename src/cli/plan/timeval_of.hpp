// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/time.h>

#include <cmath>

namespace commmap::cli {

/// Converts seconds for setitimer().
/// @param seconds  not below 0
[[nodiscard]] inline timeval timeval_of(double seconds) {
    timeval time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
    return time;
}

}  // namespace commmap::cli
