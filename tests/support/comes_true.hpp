// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <thread>

namespace commmap {

/// Waits until the condition holds, which another thread or process brings about; false when it
/// never does. Ten minutes are no measure of anything: a test may take them on a busy machine.
/// @param between  two looks at it; none: other threads get the CPU
template <class Condition>
[[nodiscard]] bool comes_true(const Condition& condition,
                              std::chrono::microseconds between = std::chrono::microseconds(0)) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        if (between.count() == 0)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(between);
    }
    return true;
}

}  // namespace commmap
