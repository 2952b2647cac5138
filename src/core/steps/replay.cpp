// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/steps/replay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_map>

namespace commmap {
namespace {

using Clock = std::uint64_t;

/// Messages on their way from one rank to another, first in first out.
class Channel {
public:
    void send(Clock arrival, std::uint64_t count) {
        if (!batches_.empty() && batches_.back().arrival == arrival)
            batches_.back().count += count;
        else
            batches_.push_back({arrival, count});
        waiting_ += count;
    }
    /// Takes `count` messages from the channel.
    /// @param arrival  rises to the arrival of the last of these messages
    /// @return         false if fewer messages have been sent; none is taken then
    [[nodiscard]] bool receive(std::uint64_t count, Clock& arrival) {
        if (waiting_ < count) return false;
        waiting_ -= count;
        while (count > 0) {
            Batch& batch = batches_[first_];
            const std::uint64_t taken = std::min(count, batch.count);
            arrival = std::max(arrival, batch.arrival);
            batch.count -= taken;
            count -= taken;
            if (batch.count == 0) ++first_;
        }
        if (first_ > batches_.size() / 2) {
            batches_.erase(batches_.begin(),
                           batches_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        return true;
    }

private:
    struct Batch {
        Clock arrival;
        std::uint64_t count;
    };
    std::vector<Batch> batches_;
    std::size_t first_ = 0;
    std::uint64_t waiting_ = 0;
};

/// The calls of collectives on one communicator, in the order that all members have in common.
struct Calls {
    struct Call {
        std::size_t begun = 0;  ///< number of members that have begun the call
        Clock last = 0;         ///< when the last of these members began the call
    };
    std::size_t num_members = 0;
    std::vector<Call> calls;
    std::vector<RankId> waiting;  ///< ranks that wait for the end of a call
};

class Replay {
public:
    Replay(std::span<const RankRounds> ranks, std::span<const std::vector<RankId>> communicators)
        : rounds_(ranks),
          ranks_(ranks.size()),
          calls_(communicators.size()),
          begins_(ranks.size()) {
        for (std::size_t i = 0; i < communicators.size(); ++i)
            calls_[i].num_members = communicators[i].size();
        for (RankId rank = 0; rank < ranks.size(); ++rank) prepare(rank);
        limit_work();
    }

    void run() {
        for (RankId rank = 0; rank < ranks_.size(); ++rank) ready_.push_back(rank);
        while (!ready_.empty()) {
            const RankId rank = ready_.back();
            ready_.pop_back();
            ranks_[rank].is_ready = false;
            advance(rank);
        }
    }

    /// Returns a rank that waits for something that never comes; no_id if no rank does.
    ///
    /// If a list was cut, others may wait for messages that the list no longer has. Then a rank is
    /// stuck only if it waits in the first half of its own list.
    [[nodiscard]] RankId stuck() const {
        const bool any_is_cut =
            std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.is_cut; });
        for (RankId rank = 0; rank < ranks_.size(); ++rank) {
            const Rank& state = ranks_[rank];
            if (state.next < state.listed && (!any_is_cut || state.next < state.listed / 2))
                return rank;
        }
        return no_id;
    }

    /// Returns by rank the clocks at which the rounds that have ended began.
    [[nodiscard]] std::vector<std::vector<Clock>> begins() && {
        for (RankId rank = 0; rank < ranks_.size(); ++rank) begins_[rank].resize(ranks_[rank].next);
        return std::move(begins_);
    }

    [[nodiscard]] std::vector<StepKind> kinds() {
        std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
            return a.clock != b.clock ? a.clock < b.clock : a.member < b.member;
        });
        std::vector<StepKind> kinds;
        std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
        std::vector<StepMember> members;
        for (std::size_t begin = 0; begin < events_.size();) {
            members.clear();
            std::uint64_t hash = 0;
            std::size_t end = begin;
            for (; end < events_.size() && events_[end].clock == events_[begin].clock; ++end) {
                const StepMember member = events_[end].member;
                members.push_back(member);
                hash ^= std::uint64_t{member.rank} << 8 | member.signature;
                hash *= 0x9e37'79b9'7f4a'7c15;
                hash ^= hash >> 29;
            }
            begin = end;
            const auto [from, to] = by_hash.equal_range(hash);
            const auto known = std::find_if(from, to, [&](const auto& entry) {
                return kinds[entry.second].members == members;
            });
            if (known != to) {
                ++kinds[known->second].count;
                continue;
            }
            by_hash.emplace(hash, kinds.size());
            kinds.push_back({members, 1});
        }
        return kinds;
    }

private:
    struct Messages {
        std::size_t channel;
        std::uint64_t count;
    };
    struct Meeting {
        std::uint32_t communicator;
        std::size_t seat;  ///< index into Rank::seats
        std::uint32_t begun;
        std::uint32_t completed;
    };
    /// A signature with its channels looked up.
    struct Actions {
        std::vector<Messages> sent;
        std::vector<Messages> received;
        std::vector<Meeting> meetings;
        bool begins = false;  ///< whether the round sends, puts, fetches, or begins a collective
    };
    /// A rank's numbers of calls on a communicator that it has begun, and that have ended.
    struct Seat {
        std::size_t begun = 0;
        std::size_t completed = 0;
    };
    struct Rank {
        std::vector<Actions> actions;  ///< by signature
        std::vector<Seat> seats;
        std::size_t listed = 0;  ///< number of rounds to replay
        std::size_t next = 0;
        bool is_cut = false;     ///< the run has more rounds than these
        bool has_begun = false;  ///< whether the round `next` has begun and not ended
        bool is_ready = true;
        // The rest describes the round that has begun.
        Clock begin = 0;
        Clock end = 0;
        Clock arrival = 0;         ///< of the last thing that the round waits for; 0: none yet
        std::size_t received = 0;  ///< number of Actions::received that have arrived
        std::size_t met = 0;       ///< number of Actions::meetings that have ended
    };
    struct Event {
        Clock clock;
        StepMember member;
    };

    std::size_t channel(RankId from, RankId to) {
        const auto [at, is_new] =
            channel_of_.emplace(std::uint64_t{from} << 32 | to, channels_.size());
        if (is_new) {
            channels_.emplace_back();
            receivers_.push_back(to);
        }
        return at->second;
    }

    void prepare(RankId rank) {
        Rank& state = ranks_[rank];
        const RankRounds& rounds = rounds_[rank];
        std::unordered_map<std::uint32_t, std::size_t> seats;  ///< by communicator
        state.listed = static_cast<std::size_t>(
            std::find(rounds.order.begin(), rounds.order.end(), RankRounds::other) -
            rounds.order.begin());
        state.is_cut = state.listed < rounds.num_rounds();
        for (const Signature& signature : rounds.signatures) {
            Actions& actions = state.actions.emplace_back();
            for (const PeerSum& peer : peers_of(signature.sent)) {
                const std::uint32_t each =
                    in_each_round(peer.count, std::max<std::uint64_t>(signature.rounds, 1));
                if (each > 0) actions.sent.push_back({channel(rank, peer.peer), each});
            }
            actions.begins =
                !actions.sent.empty() || !signature.put.empty() || !signature.fetched.empty();
            for (const Signature::Received& received : signature.received)
                actions.received.push_back({channel(received.peer, rank), received.count});
            for (const Signature::Meeting& meeting : signature.meetings) {
                const auto [seat, is_new] =
                    seats.try_emplace(meeting.communicator, state.seats.size());
                if (is_new) state.seats.emplace_back();
                actions.meetings.push_back(
                    {meeting.communicator, seat->second, meeting.begun, meeting.completed});
                if (meeting.begun > 0) actions.begins = true;
            }
        }
    }

    /// Cuts the lists if replaying all of them would take too long.
    void limit_work() {
        constexpr double most = 1U << 22;
        double work = 0.0;
        for (RankId rank = 0; rank < ranks_.size(); ++rank) {
            const Rank& state = ranks_[rank];
            for (std::size_t i = 0; i < state.listed; ++i) {
                const Actions& actions = state.actions[rounds_[rank].order[i]];
                work += 1.0 + static_cast<double>(actions.sent.size() + actions.received.size() +
                                                  actions.meetings.size());
            }
        }
        if (work <= most) return;
        for (Rank& rank : ranks_) {
            const auto shorter =
                static_cast<std::size_t>(static_cast<double>(rank.listed) * (most / work));
            rank.is_cut = rank.is_cut || shorter < rank.listed;
            rank.listed = std::min(rank.listed, std::max<std::size_t>(shorter, 1));
        }
    }

    void wake(RankId rank) {
        Rank& state = ranks_[rank];
        if (state.is_ready) return;
        state.is_ready = true;
        ready_.push_back(rank);
    }

    void begin_round(RankId rank) {
        Rank& state = ranks_[rank];
        const std::uint8_t signature = rounds_[rank].order[state.next];
        state.begin = state.end;
        state.arrival = 0;
        state.received = 0;
        state.met = 0;
        state.has_begun = true;
        begins_[rank].push_back(state.begin);
        const Actions& actions = state.actions[signature];
        if (actions.begins) {
            state.end = state.begin + 1;
            events_.push_back({state.begin, {rank, signature}});
        }
        for (const Messages& messages : actions.sent) {
            channels_[messages.channel].send(state.begin + 1, messages.count);
            wake(receivers_[messages.channel]);
        }
        for (const Meeting& meeting : actions.meetings) {
            Calls& calls = calls_[meeting.communicator];
            std::size_t& begun = state.seats[meeting.seat].begun;
            for (std::uint32_t i = 0; i < meeting.begun; ++i, ++begun) {
                if (calls.calls.size() <= begun) calls.calls.resize(begun + 1);
                Calls::Call& call = calls.calls[begun];
                call.last = std::max(call.last, state.begin);
                if (++call.begun < calls.num_members) continue;
                for (const RankId waiting : calls.waiting) wake(waiting);
                calls.waiting.clear();
            }
        }
    }

    /// Ends the round if everything that it waits for has come.
    /// @return  false if something is missing
    bool end_round(RankId rank) {
        Rank& state = ranks_[rank];
        const Actions& actions = state.actions[rounds_[rank].order[state.next]];
        for (; state.received < actions.received.size(); ++state.received) {
            const Messages& messages = actions.received[state.received];
            if (!channels_[messages.channel].receive(messages.count, state.arrival)) return false;
        }
        for (; state.met < actions.meetings.size(); ++state.met) {
            const Meeting& meeting = actions.meetings[state.met];
            Calls& calls = calls_[meeting.communicator];
            std::size_t& completed = state.seats[meeting.seat].completed;
            const std::size_t wanted = completed + meeting.completed;
            for (std::size_t i = completed; i < wanted; ++i)
                if (i >= calls.calls.size() || calls.calls[i].begun < calls.num_members) {
                    calls.waiting.push_back(rank);
                    return false;
                }
            for (; completed < wanted; ++completed)
                state.arrival = std::max(state.arrival, calls.calls[completed].last + 1);
        }
        state.end = std::max(state.end, state.arrival);
        return true;
    }

    void advance(RankId rank) {
        Rank& state = ranks_[rank];
        while (state.next < state.listed) {
            if (!state.has_begun) begin_round(rank);
            if (!end_round(rank)) return;
            state.has_begun = false;
            const std::uint8_t signature = rounds_[rank].order[state.next];
            if (!state.actions[signature].begins)
                events_.push_back(
                    {state.arrival > 0 ? state.arrival - 1 : state.begin, {rank, signature}});
            ++state.next;
        }
    }

    std::span<const RankRounds> rounds_;
    std::vector<Rank> ranks_;
    std::vector<Calls> calls_;  ///< by communicator
    std::vector<Channel> channels_;
    std::vector<RankId> receivers_;  ///< by channel
    std::unordered_map<std::uint64_t, std::size_t> channel_of_;
    std::vector<RankId> ready_;
    std::vector<std::vector<Clock>> begins_;  ///< by rank
    std::vector<Event> events_;
};

}  // namespace

Result<ReplayedRun> replay(std::span<const RankRounds> ranks,
                           std::span<const std::vector<RankId>> communicators) {
    for (RankId rank = 0; rank < ranks.size(); ++rank)
        if (ranks[rank].unclear)
            return Error{Errc::not_supported,
                         fmt::format("rank {} has rounds that cannot be told apart (messages from "
                                     "several threads, or from unknown senders)",
                                     rank)};
    for (const RankRounds& rank : ranks)
        for (const Signature& signature : rank.signatures)
            for (const Signature::Meeting& meeting : signature.meetings)
                if (meeting.communicator >= communicators.size())
                    return Error{Errc::corrupt, "rounds are on a communicator that is none"};
    Replay replay(ranks, communicators);
    replay.run();
    if (const RankId stuck = replay.stuck(); stuck != no_id)
        return Error{
            Errc::not_supported,
            fmt::format("rank {} waits for a message that no recorded round sends", stuck)};
    std::vector<StepKind> kinds = replay.kinds();
    return ReplayedRun{std::move(kinds), std::move(replay).begins()};
}

Result<ReplayedRun> replay(const Profile& profile) {
    if (profile.rounds.ranks.empty())
        return Error{Errc::not_found,
                     "the profile has no rounds: it was recorded by an older "
                     "commmap, imported, or is of too many ranks"};
    return replay(profile.rounds.ranks, profile.communicators);
}

}  // namespace commmap
