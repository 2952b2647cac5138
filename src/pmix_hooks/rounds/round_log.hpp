// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>

#include "core/profile/rounds.hpp"
#include "pmix_hooks/memory/counter.hpp"

namespace commmap::hooks {

/// Sums of one act (round_event.hpp) over all rounds with one signature.
struct SignatureCell {
    std::atomic<std::uint64_t> key;  ///< atomic, for a reader must read it once
    Counter count;
    Counter bytes;
};

/// Sums over all rounds with one signature.
struct SignatureRecord {
    std::uint64_t hash;
    Counter rounds;
    Counter ticks;              ///< from the first begin to the close
    Counter before_wait_ticks;  ///< the part of `ticks` before the first call that waited
    std::atomic<std::uint32_t> num_cells;
    std::uint32_t capacity;
    std::atomic<SignatureCell*> cells;
};

/// The rounds of a rank, in the record memory: these sums remain when the rank is killed.
struct RoundLog {
    static constexpr std::uint32_t most_signatures = RankRounds::most_signatures;
    static constexpr std::uint32_t most_listed = RankRounds::most_listed;
    static constexpr std::uint8_t other = RankRounds::other;
    /// Bound for the cells of all signatures together.
    static constexpr std::uint32_t most_cells = RankRounds::most_items;

    std::atomic<std::uint32_t> num_signatures{0};
    std::atomic<std::uint32_t> num_listed{0};
    std::atomic<std::uint8_t> unclear{0};  ///< RankRounds::unclear
    Counter other_rounds;
    SignatureRecord signatures[most_signatures]{};
    std::uint8_t order[most_listed]{};
    std::atomic<std::uint32_t> successions[most_signatures + 1][most_signatures + 1]{};
};

}  // namespace commmap::hooks
