// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "core/profile/rounds.hpp"

namespace commmap {

/// One round, written down by hand.
struct Round {
    std::vector<RankId> to = {};    ///< a message to each
    std::vector<RankId> from = {};  ///< a message from each
    /// Communicators of which a collective begins and ends in this round.
    std::vector<std::uint32_t> collectives = {};
    std::vector<std::uint32_t> begun = {};  ///< those that only begin here
    std::vector<std::uint32_t> ended = {};  ///< those that began before
    auto operator<=>(const Round&) const = default;
};

/// @param bytes  of each message
inline Signature signature_of(const Round& round, std::uint64_t rounds, std::uint64_t bytes) {
    Signature signature;
    signature.rounds = rounds;
    for (const RankId peer : round.to)
        signature.sent.push_back(
            {peer, static_cast<std::uint32_t>(size_bucket(bytes)), rounds, rounds * bytes});
    signature.sent.resize(reduce_by_key(signature.sent));
    std::map<RankId, std::uint32_t> received;
    for (const RankId peer : round.from) ++received[peer];
    for (const auto& [peer, count] : received) signature.received.push_back({peer, count});
    std::map<std::uint32_t, Signature::Meeting> meetings;
    const auto add = [&](const std::vector<std::uint32_t>& communicators, bool begun, bool ended) {
        for (const std::uint32_t communicator : communicators) {
            Signature::Meeting& meeting = meetings[communicator];
            meeting.communicator = communicator;
            meeting.begun += begun ? 1 : 0;
            meeting.completed += ended ? 1 : 0;
        }
    };
    add(round.collectives, true, true);
    add(round.begun, true, false);
    add(round.ended, false, true);
    for (const auto& [communicator, meeting] : meetings) signature.meetings.push_back(meeting);
    return signature;
}

/// Returns what the recorder keeps of a rank with these rounds.
inline RankRounds rank_rounds(const std::vector<Round>& rounds, std::uint64_t bytes = 1000) {
    RankRounds all;
    std::vector<Round> known;
    std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint64_t> successions;
    std::vector<std::uint64_t> counts;
    for (const Round& round : rounds) {
        const auto at = std::find(known.begin(), known.end(), round);
        const auto number = static_cast<std::uint8_t>(at - known.begin());
        if (at == known.end()) {
            known.push_back(round);
            counts.push_back(0);
        }
        ++counts[number];
        if (!all.order.empty()) ++successions[{all.order.back(), number}];
        all.order.push_back(number);
    }
    for (std::size_t i = 0; i < known.size(); ++i)
        all.signatures.push_back(signature_of(known[i], counts[i], bytes));
    for (const auto& [pair, count] : successions)
        all.successions.push_back({pair.first, pair.second, count});
    return all;
}

}  // namespace commmap
