// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "commmap/ids.hpp"
#include "core/profile/collective_op.hpp"
#include "core/profile/traffic_matrix.hpp"

namespace commmap {

/// A kind of collective call that began in rounds.
struct RoundCollective {
    /// Index into the communicators of the rank record, or of the profile.
    std::uint32_t communicator = 0;
    CollectiveOp op = CollectiveOp::barrier;
    bool in_peer_traffic = false;
    std::uint8_t bucket = 0;  ///< of a call's payload, < num_size_buckets
    RankId root = no_id;      ///< rank in MPI_COMM_WORLD
    [[nodiscard]] auto key() const {
        return std::tuple(communicator, op, root, in_peer_traffic, bucket);
    }
    bool operator==(const RoundCollective&) const = default;
};

/// Describes the rounds of a rank that are alike. A round is what the rank begins between two
/// closes; the first call that waits for messages closes the round (docs/developer/steps.md).
struct Signature {
    /// Number of messages from one rank, in each of the rounds.
    struct Received {
        RankId peer = 0;
        std::uint32_t count = 0;
        auto operator<=>(const Received&) const = default;
    };
    /// Calls of a collective that began in the rounds, added up over all rounds.
    struct Begun {
        std::uint32_t collective = 0;  ///< index into the list of RoundCollective
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;  ///< payload, as in CollectiveRecord::member_bytes
        auto operator<=>(const Begun&) const = default;
    };
    /// Calls of collectives on one communicator, in each of the rounds.
    struct Meeting {
        std::uint32_t communicator = 0;  ///< as in RoundCollective
        std::uint32_t begun = 0;         ///< calls that this rank began
        std::uint32_t completed = 0;     ///< calls for whose end this rank waited
        auto operator<=>(const Meeting&) const = default;
    };

    std::uint64_t rounds = 0;       ///< the number of these rounds, > 0
    double seconds = 0.0;           ///< from the first begin to the close, added up over the rounds
    double before_wait_s = 0.0;     ///< the part of `seconds` before the first call that waited
    std::vector<TrafficCell> sent;  ///< added up over the rounds; sorted by key()
    /// Messages that no call of the peer receives: one-sided, or of collectives. Added up over the
    /// rounds; sorted by key().
    std::vector<TrafficCell> put;
    std::vector<TrafficCell> fetched;  ///< one-sided, from the peer to this rank; sorted by key()
    std::vector<Received> received;    ///< sorted by peer
    std::vector<Begun> collectives;    ///< sorted by collective
    std::vector<Meeting> meetings;     ///< sorted by communicator
    auto operator<=>(const Signature&) const = default;
};

/// Returns how often something happens in each of a signature's rounds, rounded. All rounds of a
/// signature are equal, except the last round of a rank that was killed in it.
/// @pre rounds > 0
[[nodiscard]] inline std::uint32_t in_each_round(std::uint64_t all, std::uint64_t rounds) {
    const std::uint64_t count = all / rounds + (all % rounds >= rounds - rounds / 2 ? 1 : 0);
    return static_cast<std::uint32_t>(std::min(count, std::uint64_t{UINT32_MAX}));
}

/// The rounds of one rank in the whole run.
struct RankRounds {
    static constexpr std::size_t most_signatures = 64;
    static constexpr std::size_t most_listed = 4096;
    /// The most entries in each kind of list, over all signatures of a rank.
    static constexpr std::size_t most_items = 2048;
    /// The most messages, and ends of collectives, of one round.
    static constexpr std::uint32_t most_acts = 4096;
    /// In `order`: a round whose signature was not kept.
    static constexpr std::uint8_t other = most_signatures;

    /// How often a round with one signature came right after a round with another.
    struct Succession {
        std::uint8_t from = 0;
        std::uint8_t to = 0;
        std::uint64_t count = 0;
        auto operator<=>(const Succession&) const = default;
    };

    std::vector<Signature> signatures;  ///< at most most_signatures, in the order of their first
    std::uint64_t other_rounds = 0;     ///< rounds whose signatures were not kept
    /// The signatures of the first rounds, in order; at most most_listed.
    std::vector<std::uint8_t> order;
    std::vector<Succession> successions;  ///< sorted by (from, to)
    /// The rounds cannot be told apart: several threads began messages, a message came from an
    /// unknown rank, or nothing is known of this rank.
    bool unclear = false;

    /// Returns the number of rounds in the whole run.
    [[nodiscard]] std::uint64_t num_rounds() const {
        std::uint64_t sum = other_rounds;
        for (const Signature& signature : signatures) sum += signature.rounds;
        return sum;
    }
    auto operator<=>(const RankRounds&) const = default;
};

/// The rounds of all ranks of a run.
struct Rounds {
    /// Runs with more ranks keep no rounds.
    static constexpr std::size_t most_ranks = 16384;
    /// Returns how many rounds of each rank are listed. With many ranks fewer are listed, because
    /// all ranks are replayed together.
    [[nodiscard]] static constexpr std::size_t most_listed(std::size_t num_ranks) {
        constexpr std::size_t together = std::size_t{1} << 21;
        return num_ranks * RankRounds::most_listed <= together ? RankRounds::most_listed
                                                               : together / num_ranks;
    }

    std::vector<RoundCollective> collectives;  ///< sorted by key()
    std::vector<RankRounds> ranks;             ///< by rank; empty: not recorded
    bool operator==(const Rounds&) const = default;
};

}  // namespace commmap
