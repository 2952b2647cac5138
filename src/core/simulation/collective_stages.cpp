// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/collective_stages.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/collectives/expansion/choose_schedule.hpp"
#include "core/simulation/protocol.hpp"

namespace commmap {
namespace {

struct Sending {
    std::uint64_t step;
    const ScheduledMessage* message;
};

std::vector<Sending> step_by_step(const std::vector<ScheduledMessage>& schedule) {
    std::vector<Sending> sendings;
    for (const ScheduledMessage& message : schedule)
        for (std::uint64_t i = 0; i < message.count; ++i)
            sendings.push_back({message.step + i, &message});
    std::ranges::stable_sort(sendings, {}, &Sending::step);
    return sendings;
}

Error too_many() {
    return {Errc::not_supported, "the collectives have too many messages to simulate"};
}

}  // namespace

/// Returns for each kind of collective the mean payload of a call. All members take this mean, so
/// that they choose the same algorithm.
std::vector<std::uint64_t> CollectiveStages::payloads() const {
    std::vector<std::uint64_t> calls(profile_.rounds.collectives.size());
    std::vector<std::uint64_t> bytes(calls.size());
    for (const RankRounds& rank : profile_.rounds.ranks)
        for (const Signature& signature : rank.signatures)
            for (const Signature::Begun& begun : signature.collectives) {
                calls[begun.collective] += begun.calls;
                bytes[begun.collective] += begun.bytes;
            }
    for (std::size_t kind = 0; kind < calls.size(); ++kind)
        if (calls[kind] > 0) bytes[kind] /= calls[kind];
    return bytes;
}

Status CollectiveStages::add_calls(std::uint64_t most) {
    const std::vector<std::uint64_t> payload = payloads();
    calls_.resize(payload.size());
    barriers_.resize(profile_.communicators.size());
    members_.resize(profile_.communicators.size());
    for (std::size_t kind = 0; kind < payload.size(); ++kind) {
        const RoundCollective& collective = profile_.rounds.collectives[kind];
        if (collective.communicator >= profile_.communicators.size())
            return Error{Errc::corrupt, "rounds are on a communicator that is none"};
        const std::vector<RankId>& members = profile_.communicators[collective.communicator];
        // The signatures already have the messages of a collective in the peers' traffic.
        if (collective.in_peer_traffic || members.size() < 2) continue;
        CollectiveCall call{static_cast<std::uint32_t>(members.size()), 0, payload[kind]};
        if (collective.root != no_id)
            call.root = static_cast<std::uint32_t>(std::ranges::find(members, collective.root) -
                                                   members.begin());
        if (call.root >= members.size())
            return Error{Errc::corrupt, "the root of a collective is not in its communicator"};
        const ScheduleInfo* const algorithm = schedules_.algorithm(collective.op, call);
        if (algorithm == nullptr) continue;
        if (Status ok = add_call(calls_[kind], collective.communicator, *algorithm, call, most);
            !ok)
            return ok;
    }
    return Ok{};
}

Status CollectiveStages::add_call(Call& call, std::uint32_t communicator,
                                  const ScheduleInfo& algorithm, const CollectiveCall& what,
                                  std::uint64_t most) {
    const std::vector<RankId>& members = profile_.communicators[communicator];
    if (algorithm.all_pairs && members.size() * members.size() > most) return too_many();
    std::vector<ScheduledMessage> schedule;
    algorithm.expand(what, schedule);
    for (const ScheduledMessage& message : schedule) messages_ += std::min(message.count, most);
    if (messages_ > most) return too_many();
    std::vector<std::vector<ScriptStage>> stages(members.size());
    std::vector<std::uint64_t> last_step(members.size(), UINT64_MAX);
    call.resize(members.size());
    for (const auto& [step, message] : step_by_step(schedule)) {
        const auto stage_of = [&, at = step](std::uint32_t member) -> ScriptStage& {
            if (last_step[member] != at) {
                ScriptStage& stage = stages[member].emplace_back();
                stage.waits_for_sends = ScriptStage::Sends::of_collectives;
            }
            last_step[member] = at;
            return stages[member].back();
        };
        const auto bytes = static_cast<double>(message->bytes);
        const std::uint32_t stream = streams_.stream(
            members[message->source], members[message->destination], StreamUse::collective);
        stage_of(message->source).sends.push_back({stream, 1, bytes});
        ScriptStage& receives = stage_of(message->destination);
        receives.posts.push_back({stream, 1});
        receives.waits.push_back({stream, 1});
        call[message->source].messages += Protocol::parts(1, bytes);
        call[message->source].bytes += bytes;
    }
    for (std::size_t member = 0; member < members.size(); ++member) {
        const auto first = static_cast<std::uint32_t>(script_.stages.size());
        for (ScriptStage& stage : stages[member]) script_.stages.push_back(std::move(stage));
        call[member].stages = {first, static_cast<std::uint32_t>(script_.stages.size())};
    }
    return Ok{};
}

Result<const CollectiveStages::Call*> CollectiveStages::barrier(std::uint32_t communicator,
                                                                std::uint64_t most) {
    Call& call = barriers_[communicator];
    const auto num_members =
        static_cast<std::uint32_t>(profile_.communicators[communicator].size());
    if (call.empty() && num_members > 1) {
        const CollectiveCall what{num_members, 0, 0};
        const ScheduleInfo& algorithm =
            choose_schedule(CollectiveRules::open_mpi_4, CollectiveOp::barrier, what);
        if (Status ok = add_call(call, communicator, algorithm, what, most); !ok) return ok.error();
    }
    return &call;
}

std::size_t CollectiveStages::member(std::uint32_t communicator, RankId rank) {
    std::unordered_map<RankId, std::size_t>& member_of = members_[communicator];
    const std::vector<RankId>& members = profile_.communicators[communicator];
    if (member_of.empty())
        for (std::size_t i = 0; i < members.size(); ++i) member_of.emplace(members[i], i);
    const auto found = member_of.find(rank);
    return found != member_of.end() ? found->second : members.size();
}

Result<CollectiveStages::OfRound> CollectiveStages::of_round(RankId rank,
                                                             const Signature& signature,
                                                             std::uint64_t most) {
    OfRound round;
    double calls = 0.0;
    std::map<std::uint32_t, std::uint32_t> known;  // calls with a schedule, by communicator
    const auto add = [&](const Call& call, std::uint32_t communicator, std::uint32_t times) {
        calls += times;
        if (call.empty() || calls > RankRounds::most_acts) return;
        const std::size_t at = member(communicator, rank);
        if (at >= call.size()) return;
        round.stages.insert(round.stages.end(), times, call[at].stages);
        round.messages += times * (1.0 + call[at].messages);
        round.bytes += times * call[at].bytes;
    };
    for (const Signature::Begun& begun : signature.collectives) {
        const Call& call = calls_[begun.collective];
        if (call.empty()) continue;
        const std::uint32_t communicator =
            profile_.rounds.collectives[begun.collective].communicator;
        const std::uint32_t times = in_each_round(begun.calls, signature.rounds);
        known[communicator] += times;
        add(call, communicator, times);
    }
    for (const Signature::Meeting& meeting : signature.meetings) {
        const std::uint32_t times = known[meeting.communicator];
        if (meeting.begun <= times) continue;
        const auto call = barrier(meeting.communicator, most);
        if (!call) return call.error();
        add(*call.value(), meeting.communicator, meeting.begun - times);
    }
    if (calls > RankRounds::most_acts) return too_many();
    return round;
}

}  // namespace commmap
