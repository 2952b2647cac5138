// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>
#include <vector>

#include "core/profile/format/profile_codec.hpp"
#include "core/profile/recording/profile_merge.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "fuzz/fuzz_target.hpp"

namespace commmap::fuzz {

/// Of few ranks: the same is found with them, and faster.
inline constexpr std::uint32_t most_ranks = 64;

/// A profile that commmap writes is one that it reads.
inline void require_readable(const Profile& profile) {
    const auto again = decode_profile(encode_profile(profile));
    require(again.ok(),
            again ? "" : "a profile is written that is not read: " + again.error().message);
    require(again.value().phases.size() == profile.phases.size(), "other phases");
    for (std::size_t i = 0; i < profile.phases.size(); ++i) {
        require(again.value().phases[i].sent == profile.phases[i].sent, "other traffic");
        require(again.value().phases[i].collectives == profile.phases[i].collectives,
                "other collectives");
        require(again.value().phases[i].rank_times == profile.phases[i].rank_times,
                "other times of ranks");
    }
}

/// What srun does with the nodes' parts. Returns whether they made a profile.
inline bool merge(NodePart part) {
    if (part.num_ranks > most_ranks) return false;
    std::vector<NodePart> parts;
    parts.push_back(std::move(part));
    const auto merged = merge_node_parts(std::move(parts));
    if (merged) require_readable(merged.value());
    return merged.ok();
}

}  // namespace commmap::fuzz
