// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>

#include "core/history/record/run_record.hpp"

namespace commmap {

/// A run of 16 ranks on two nodes that makes sense.
inline RunRecord some_record(LaunchedAs launched_as, double wall_s, std::uint32_t step = 0) {
    RunRecord record;
    record.application_id = "build-id:0a1b";
    record.program = "app";
    record.num_ranks = 16;
    record.num_nodes = 2;
    record.shape = 7;
    record.arguments = 8;
    record.run.ended_unix_s = 1'700'000'000 + step;
    record.run.wall_s = wall_s;
    record.run.job = 12;
    record.run.step = step;
    record.run.launched_as = launched_as;
    if (launched_as == LaunchedAs::placed) {
        record.run.basis = 3;
        record.run.placement = 4;
        record.run.predicted_s = 0.8;
        record.run.default_s = 1.0;
    }
    return record;
}

}  // namespace commmap
