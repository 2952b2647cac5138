// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/simulation/run_simulator.hpp"
#include "core/steps/replay.hpp"
#include "core/steps/rounds.hpp"

namespace commmap {

/// A run that is nothing but its rounds; all messages of one length.
inline Profile run_of(const std::vector<std::vector<Round>>& rounds, std::uint64_t bytes) {
    Profile profile;
    profile.ranks.resize(rounds.size());
    for (const auto& of_rank : rounds) profile.rounds.ranks.push_back(rank_rounds(of_rank, bytes));
    return profile;
}

/// Errors: also those of replay().
inline Result<RunScript> script_of(const Profile& profile) {
    const auto replayed = replay(profile);
    if (!replayed) return replayed.error();
    return script_of(profile, replayed.value().begins);
}

/// Nobody is ever late, so that times can be worked out by hand.
inline double exact_s(const Profile& profile, const Hct& hct, const std::vector<PuId>& placement) {
    const auto script = script_of(profile);
    EXPECT_TRUE(script) << script.error().message;
    if (!script) return 0.0;
    const auto time_s = simulated_time_s(script.value(), hct, placement, {.lateness = 0.0});
    EXPECT_TRUE(time_s) << time_s.error().message;
    return time_s ? time_s.value() : 0.0;
}

}  // namespace commmap
