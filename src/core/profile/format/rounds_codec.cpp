// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/rounds_codec.hpp"

#include <algorithm>
#include <utility>

#include "core/profile/profile_checks.hpp"
#include "core/profile/round_order.hpp"

namespace commmap {
namespace {

void put_signature(ByteWriter& out, const Signature& signature) {
    out.put(signature.rounds);
    out.put(signature.seconds);
    out.put(signature.before_wait_s);
    out.put(signature.sent);
    out.put(signature.put);
    out.put(signature.fetched);
    out.put(signature.received);
    out.put(std::uint64_t{signature.collectives.size()});
    for (const Signature::Begun& begun : signature.collectives) {
        out.put(begun.collective);
        out.put(begun.calls);
        out.put(begun.bytes);
    }
    out.put(signature.meetings);
}

Signature get_signature(ByteReader& in) {
    Signature signature;
    signature.rounds = in.get<std::uint64_t>();
    signature.seconds = in.get<double>();
    signature.before_wait_s = in.get<double>();
    signature.sent = in.vector<TrafficCell>();
    signature.put = in.vector<TrafficCell>();
    signature.fetched = in.vector<TrafficCell>();
    signature.received = in.vector<Signature::Received>();
    signature.collectives.resize(in.length(20));
    for (Signature::Begun& begun : signature.collectives) {
        begun.collective = in.get<std::uint32_t>();
        begun.calls = in.get<std::uint64_t>();
        begun.bytes = in.get<std::uint64_t>();
    }
    signature.meetings = in.vector<Signature::Meeting>();
    return signature;
}

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

void put_rounds(ByteWriter& out, const RankRounds& rounds) {
    out.put(std::uint64_t{rounds.signatures.size()});
    for (const Signature& signature : rounds.signatures) put_signature(out, signature);
    out.put(rounds.other_rounds);
    out.put(encode_order(rounds.order));
    out.put(std::uint64_t{rounds.successions.size()});
    for (const RankRounds::Succession& succession : rounds.successions) {
        out.put(succession.from);
        out.put(succession.to);
        out.put(succession.count);
    }
    out.put(static_cast<std::uint8_t>(rounds.unclear));
}

RankRounds get_rounds(ByteReader& in) {
    RankRounds rounds;
    rounds.signatures.resize(std::min(in.length(72), RankRounds::most_signatures + 1));
    for (Signature& signature : rounds.signatures) signature = get_signature(in);
    rounds.other_rounds = in.get<std::uint64_t>();
    if (auto order = decode_order(in.text(), RankRounds::most_listed))
        rounds.order = std::move(*order);
    else
        rounds.order.assign(1, UINT8_MAX);  // which is none
    rounds.successions.resize(in.length(10));
    for (RankRounds::Succession& succession : rounds.successions) {
        succession.from = in.get<std::uint8_t>();
        succession.to = in.get<std::uint8_t>();
        succession.count = in.get<std::uint64_t>();
    }
    rounds.unclear = in.get<std::uint8_t>() != 0;
    return rounds;
}

void put_round_collectives(ByteWriter& out, const std::vector<RoundCollective>& collectives) {
    out.put(std::uint64_t{collectives.size()});
    for (const RoundCollective& collective : collectives) {
        out.put(collective.communicator);
        out.put(static_cast<std::uint8_t>(collective.op));
        out.put(static_cast<std::uint8_t>(collective.in_peer_traffic));
        out.put(collective.bucket);
        out.put(collective.root);
    }
}

std::vector<RoundCollective> get_round_collectives(ByteReader& in) {
    std::vector<RoundCollective> collectives(in.length(11));
    for (RoundCollective& collective : collectives) {
        collective.communicator = in.get<std::uint32_t>();
        collective.op = static_cast<CollectiveOp>(in.get<std::uint8_t>());
        collective.in_peer_traffic = in.get<std::uint8_t>() != 0;
        collective.bucket = in.get<std::uint8_t>();
        collective.root = in.get<RankId>();
    }
    return collectives;
}

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
