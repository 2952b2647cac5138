// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/rounds_checks.hpp"

#include <algorithm>
#include <utility>

#include "core/profile/profile_checks.hpp"

namespace commmap {
namespace {

bool is_row_of(const std::vector<TrafficCell>& cells, std::size_t num_ranks) {
    return is_row(cells) && std::ranges::all_of(cells, [&](const TrafficCell& cell) {
               return cell.peer < num_ranks;
           });
}

std::size_t num_items(const Signature& signature) {
    return signature.sent.size() + signature.put.size() + signature.fetched.size() +
           signature.received.size() + signature.collectives.size() + signature.meetings.size();
}

bool is_possible(const Signature& signature, const RoundLimits& limits) {
    if (signature.rounds == 0 || !is_time(signature.seconds) || !is_time(signature.before_wait_s) ||
        !is_row_of(signature.sent, limits.num_ranks) ||
        !is_row_of(signature.put, limits.num_ranks) ||
        !is_row_of(signature.fetched, limits.num_ranks) ||
        !is_ascending(signature.received, &Signature::Received::peer) ||
        !is_ascending(signature.collectives, &Signature::Begun::collective) ||
        !is_ascending(signature.meetings, &Signature::Meeting::communicator))
        return false;
    for (const Signature::Received& received : signature.received)
        if (received.peer >= limits.num_ranks || received.count == 0 ||
            received.count > RankRounds::most_acts)
            return false;
    for (const TrafficCell& cell : signature.sent)
        if (cell.count / RankRounds::most_acts > signature.rounds) return false;
    for (const Signature::Begun& begun : signature.collectives)
        if (begun.collective >= limits.num_collectives || begun.calls == 0) return false;
    for (const Signature::Meeting& meeting : signature.meetings)
        if (meeting.communicator >= limits.num_communicators ||
            meeting.begun > RankRounds::most_acts || meeting.completed > RankRounds::most_acts)
            return false;
    return true;
}

}  // namespace

Status check_rounds(const std::string& name, const RankRounds& rounds, const RoundLimits& limits) {
    const auto refuse = [&] { return corrupt(name + " has rounds that cannot be"); };
    const std::size_t size = rounds.signatures.size();
    if (size > RankRounds::most_signatures || rounds.order.size() > RankRounds::most_listed)
        return refuse();
    std::size_t items = 0;
    for (const Signature& signature : rounds.signatures) {
        if (!is_possible(signature, limits)) return refuse();
        items += num_items(signature);
    }
    if (items > RankRounds::most_items) return refuse();
    const auto is_signature = [size](std::uint8_t number) {
        return number < size || number == RankRounds::other;
    };
    if (!std::all_of(rounds.order.begin(), rounds.order.end(), is_signature)) return refuse();
    for (const RankRounds::Succession& succession : rounds.successions)
        if (!is_signature(succession.from) || !is_signature(succession.to) || succession.count == 0)
            return refuse();
    if (!is_ascending(rounds.successions, [](const RankRounds::Succession& succession) {
            return std::pair(succession.from, succession.to);
        }))
        return refuse();
    return Ok{};
}

Status check_round_collectives(const std::vector<RoundCollective>& collectives,
                               const RoundLimits& limits) {
    for (const RoundCollective& collective : collectives)
        if (collective.communicator >= limits.num_communicators ||
            collective.op >= CollectiveOp::count_ || collective.bucket >= num_size_buckets ||
            (collective.root != no_id && collective.root >= limits.num_ranks))
            return corrupt("it has collectives in rounds that cannot be");
    if (!is_ascending(collectives, &RoundCollective::key))
        return corrupt("its collectives in rounds are out of order");
    return Ok{};
}

}  // namespace commmap
