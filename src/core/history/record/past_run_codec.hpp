// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>

#include "core/base/run_clock.hpp"
#include "core/history/record/history_v1_generated.h"
#include "core/history/record/run_record.hpp"

namespace commmap {

// Encodes and decodes a run, for the two kinds of files that hold runs: histories and records.

[[nodiscard]] inline history1::Past encoded(const PastRun& run) {
    return {run.ended_unix_s,
            run.wall_s,
            run.predicted_s,
            run.default_s,
            run.error,
            run.basis,
            run.placement,
            run.job,
            run.step,
            static_cast<std::uint32_t>(run.launched_as),
            0};
}

/// Tells whether a place is aligned for this struct, which FlatBuffers' verifier does not check.
[[nodiscard]] inline bool is_aligned(const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) % alignof(history1::Past) == 0;
}

/// Reads a clock; nullopt: the number is one of a later version.
[[nodiscard]] inline std::optional<RunClock> clock_of(std::uint32_t stored) {
    if (stored >= run_clock_names.size()) return std::nullopt;
    return static_cast<RunClock>(stored);
}

/// Decodes a run. An unknown way to launch counts as `off`.
[[nodiscard]] inline PastRun decoded(const history1::Past& run) {
    const std::uint32_t way = run.launched_as();
    return {run.ended_unix_s(),
            run.wall_s(),
            run.predicted_s(),
            run.default_s(),
            run.error(),
            run.basis(),
            run.placement(),
            run.job(),
            run.step(),
            way <= static_cast<std::uint32_t>(LaunchedAs::reversed) ? static_cast<LaunchedAs>(way)
                                                                    : LaunchedAs::off};
}

}  // namespace commmap
