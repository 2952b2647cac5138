// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/run_script.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/simulation/collective_stages.hpp"
#include "core/simulation/protocol.hpp"
#include "core/simulation/stream_table.hpp"

namespace commmap {
namespace {

class ScriptBuilder {
public:
    ScriptBuilder(const Profile& profile, const CollectiveChoice& choice)
        : profile_(profile), streams_(script_), collectives_(profile, choice, script_, streams_) {}

    /// @param begins  ReplayedRun::begins: by rank, the tick at which each round begins
    Result<RunScript> build(const std::vector<std::vector<std::uint64_t>>& begins) {
        if (num_ranks() > most_simulated_messages / 16)
            return Error{Errc::not_supported, "there are too many ranks to simulate many rounds"};
        if (Status ok = collectives_.add_calls(most_at_once); !ok) return ok.error();
        for (RankId rank = 0; rank < num_ranks(); ++rank)
            if (Status ok = add_rank(rank); !ok) return ok.error();
        script_.before.resize(script_.streams.size());
        if (Status ok = choose_rounds(begins); !ok) return ok.error();
        return std::move(script_);
    }

private:
    /// The messages and bytes that a rank sends in a round.
    struct Load {
        double messages = 1.0;  ///< starts at 1, which the round itself counts
        double bytes = 0.0;
    };

    [[nodiscard]] RankId num_ranks() const { return static_cast<RankId>(profile_.num_ranks()); }
    [[nodiscard]] const RankRounds& rounds_of(RankId rank) const {
        return profile_.rounds.ranks[rank];
    }

    Status add_rank(RankId rank) {
        RunScript::Rank& script = script_.ranks.emplace_back();
        loads_.emplace_back();
        for (const Signature& signature : rounds_of(rank).signatures) {
            auto round = collectives_.of_round(rank, signature, most_at_once);
            if (!round) return round.error();
            num_calls_ += round.value().stages.size();
            if (num_calls_ > most_calls) return too_many();
            Load& load = loads_.back().emplace_back();
            load.messages += round.value().messages;
            load.bytes += round.value().bytes;
            script.rounds.push_back(
                round_of(rank, signature, std::move(round.value().stages), load));
        }
        const ProfileRank& record = profile_.ranks[rank];
        const std::uint64_t rounds = rounds_of(rank).num_rounds();
        if (record.mpi_s > 0.0 && record.wall_s > record.mpi_s && rounds > 0)
            script.before_round_s = (record.wall_s - record.mpi_s) / static_cast<double>(rounds);
        return Ok{};
    }

    std::vector<RunScript::StageRange> round_of(RankId rank, const Signature& signature,
                                                std::vector<RunScript::StageRange> collectives,
                                                Load& load) {
        ScriptStage begin;
        add_sends(begin, rank, signature.sent, signature.rounds, StreamUse::point_to_point);
        add_sends(begin, rank, signature.put, signature.rounds, StreamUse::one_sided);
        for (const ScriptStage::Send& send : begin.sends) {
            load.messages += Protocol::parts(send.count, send.bytes);
            load.bytes += send.count * send.bytes;
        }
        for (const Signature::Received& received : signature.received)
            begin.posts.push_back(
                {streams_.stream(received.peer, rank, StreamUse::point_to_point), received.count});
        ScriptStage end;
        end.waits = begin.posts;
        if (collectives.empty()) {
            begin.waits = std::move(end.waits);
            return {add(std::move(begin))};
        }
        begin.waits_for_sends = ScriptStage::Sends::none;
        collectives.insert(collectives.begin(), add(std::move(begin)));
        collectives.push_back(add(std::move(end)));
        return collectives;
    }

    RunScript::StageRange add(ScriptStage stage) {
        const auto number = static_cast<std::uint32_t>(script_.stages.size());
        script_.stages.push_back(std::move(stage));
        return {number, number + 1};
    }

    /// Adds a mean round's sends to a stage. Rounds of one signature may differ in how many
    /// messages of each size bucket they have. A round of the script has as many messages to each
    /// peer as replay() takes, and the mean number of bytes.
    /// @param cells  sorted by peer
    void add_sends(ScriptStage& stage, RankId rank, const std::vector<TrafficCell>& cells,
                   std::uint64_t rounds, StreamUse use) {
        for (std::size_t first = 0; first < cells.size();) {
            const RankId peer = cells[first].peer;
            std::uint64_t messages = 0;
            std::uint32_t sent = 0;
            double bytes = 0.0;  // of cells that have not got a message yet
            std::size_t end = first;
            for (; end < cells.size() && cells[end].peer == peer; ++end) {
                messages += cells[end].count;
                bytes += static_cast<double>(cells[end].bytes) / static_cast<double>(rounds);
                const std::uint32_t count = in_each_round(messages, rounds) - sent;
                if (count == 0) continue;
                sent += count;
                stage.sends.push_back({streams_.stream(rank, peer, use), count, bytes / count});
                bytes = 0.0;
            }
            if (sent > 0) stage.sends.back().bytes += bytes / stage.sends.back().count;
            first = end;
        }
    }

    /// The ticks [first, end) of the replay.
    struct Window {
        std::uint64_t first = 0;
        std::uint64_t end = 0;
    };

    /// Returns the ticks around the run's middle that have no more messages than can be simulated,
    /// but at least one tick. Sets script_.repeats.
    /// @param messages  by tick
    [[nodiscard]] Window middle_of(const std::vector<double>& messages) {
        const double all = std::accumulate(messages.begin(), messages.end(), 0.0);
        const double budget = most_simulated_messages;
        if (all > 0.0)
            script_.repeats = static_cast<unsigned>(std::clamp(budget / all, 1.0, most_repeats));
        if (all <= budget) return {0, messages.size()};
        Window window;
        double before = 0.0;
        while (before + messages[window.first] < (all - budget) / 2.0)
            before += messages[window.first++];
        double taken = messages[window.first];
        for (window.end = window.first + 1;
             window.end < messages.size() && taken + messages[window.end] <= budget; ++window.end)
            taken += messages[window.end];
        return window;
    }

    Status choose_rounds(const std::vector<std::vector<std::uint64_t>>& begins) {
        std::vector<double> messages;  // by tick
        for (RankId rank = 0; rank < num_ranks(); ++rank)
            for (std::size_t i = 0; i < begins[rank].size(); ++i) {
                messages.resize(std::max<std::size_t>(messages.size(), begins[rank][i] + 1));
                messages[begins[rank][i]] += loads_[rank][rounds_of(rank).order[i]].messages;
            }
        const Window window = middle_of(messages);
        double simulated = 0.0;
        Times in_simulated;
        Times in_all;
        for (RankId rank = 0; rank < num_ranks(); ++rank) {
            const std::vector<std::uint8_t>& order = rounds_of(rank).order;
            for (std::size_t i = 0; i < begins[rank].size(); ++i) {
                if (begins[rank][i] < window.first) pass(rank, order[i]);
                if (begins[rank][i] < window.first || begins[rank][i] >= window.end) continue;
                simulated += loads_[rank][order[i]].messages;
                in_simulated.add(1, seconds_of(rank, order[i]), loads_[rank][order[i]].bytes);
                script_.ranks[rank].order.push_back(order[i]);
            }
            in_all.add(rounds_of(rank).other_rounds, script_.ranks[rank].before_round_s, 0.0);
            for (std::size_t i = 0; i < rounds_of(rank).signatures.size(); ++i)
                in_all.add(rounds_of(rank).signatures[i].rounds,
                           seconds_of(rank, static_cast<std::uint8_t>(i)), loads_[rank][i].bytes);
        }
        if (simulated > most_at_once) return too_many();
        if (in_all.seconds > 0.0)
            script_.covered = in_simulated.seconds / in_all.seconds;
        else if (in_all.rounds > 0.0)
            script_.covered = in_simulated.rounds / in_all.rounds;
        const double of_bytes = in_all.bytes > 0.0 ? in_simulated.bytes / in_all.bytes : 0.0;
        if (in_all.bytes > 0.0 &&
            (of_bytes > most_unlike * script_.covered || script_.covered > most_unlike * of_bytes))
            return Error{Errc::not_supported,
                         "the rounds that can be simulated are unlike the rest of the run"};
        return Ok{};
    }

    struct Times {
        double rounds = 0.0;
        double seconds = 0.0;
        double bytes = 0.0;
        void add(std::uint64_t count, double each_s, double each_bytes) {
            rounds += static_cast<double>(count);
            seconds += static_cast<double>(count) * each_s;
            bytes += static_cast<double>(count) * each_bytes;
        }
    };

    /// Returns the mean time of a round in the profiled run, with the time outside of MPI before
    /// it.
    [[nodiscard]] double seconds_of(RankId rank, std::uint8_t signature) const {
        const Signature& of = rounds_of(rank).signatures[signature];
        return of.seconds / static_cast<double>(of.rounds) + script_.ranks[rank].before_round_s;
    }

    /// Counts the messages that a round before the simulated ones has sent and received.
    void pass(RankId rank, std::uint8_t signature) {
        for (const RunScript::StageRange& range : script_.ranks[rank].rounds[signature])
            for (std::uint32_t i = range.first; i < range.second; ++i) {
                for (const ScriptStage::Send& send : script_.stages[i].sends)
                    script_.before[send.stream].sent += send.count;
                for (const ScriptStage::Receive& wait : script_.stages[i].waits)
                    script_.before[wait.stream].received += wait.count;
            }
    }

    static Error too_many() {
        return {Errc::not_supported, "one round of all ranks has too many messages to simulate"};
    }

    static constexpr std::size_t most_at_once = 3 * most_simulated_messages;
    static constexpr double most_repeats = 3.0;
    /// The largest allowed ratio between the window's share of the run's bytes and its share of the
    /// run's time, either way round.
    static constexpr double most_unlike = 2.0;
    /// The most calls of collectives in the signatures of all ranks. A call takes 8 bytes.
    static constexpr std::size_t most_calls = std::size_t{1} << 20;

    const Profile& profile_;
    RunScript script_;
    StreamTable streams_;
    CollectiveStages collectives_;
    std::size_t num_calls_ = 0;
    std::vector<std::vector<Load>> loads_;  ///< by rank and signature
};

}  // namespace

Result<RunScript> script_of(const Profile& profile,
                            const std::vector<std::vector<std::uint64_t>>& begins,
                            const CollectiveChoice& choice) {
    return ScriptBuilder(profile, choice).build(begins);
}

}  // namespace commmap
