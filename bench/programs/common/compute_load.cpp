// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "common/compute_load.hpp"

#include <ctime>

#include <algorithm>

namespace commmap::bench {
namespace {

// Knuth's MMIX generator.
constexpr std::uint64_t lcg_factor = 6364136223846793005ULL;
constexpr std::uint64_t lcg_addend = 1442695040888963407ULL;

std::uint64_t do_steps(std::uint64_t value, std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
        value = value * lcg_factor + lcg_addend;
    }
    return value;
}

/// n steps at once, by squaring the affine map x -> factor * x + addend.
std::uint64_t jump(std::uint64_t value, std::uint64_t steps) {
    std::uint64_t factor = lcg_factor;
    std::uint64_t addend = lcg_addend;
    for (; steps != 0; steps >>= 1U) {
        if ((steps & 1U) != 0) {
            value = value * factor + addend;
        }
        addend = addend * factor + addend;
        factor = factor * factor;
    }
    return value;
}

double cpu_time_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

ComputeLoad::ComputeLoad(double microseconds) {
    if (microseconds <= 0) {
        return;
    }
    constexpr std::uint64_t probe_steps = 200000;
    double best_s = 1;
    std::uint64_t value = 1;
    for (int repeat = 0; repeat < 10; ++repeat) {
        const double start_s = cpu_time_s();
        value = do_steps(value, probe_steps);
        best_s = std::min(best_s, cpu_time_s() - start_s);
    }
    // The result must be used, or the compiler may drop the loop that is timed.
    if (value != jump(1, 10 * probe_steps)) {
        return;
    }
    const double steps_per_us = static_cast<double>(probe_steps) / (best_s * 1e6);
    steps_ = static_cast<std::uint64_t>(steps_per_us * microseconds);
}

bool ComputeLoad::run(std::uint64_t start) const {
    return do_steps(start, steps_) == jump(start, steps_);
}

}  // namespace commmap::bench
