// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/steps/replay.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

#include "core/steps/rounds.hpp"

namespace commmap {
namespace {

using Rounds = std::vector<std::vector<Round>>;  ///< by rank
using Communicators = std::vector<std::vector<RankId>>;

std::vector<RankRounds> recorded(const Rounds& rounds) {
    std::vector<RankRounds> ranks;
    for (const auto& of_rank : rounds) ranks.push_back(rank_rounds(of_rank));
    return ranks;
}

std::vector<StepKind> kinds_of(const Rounds& rounds, const Communicators& communicators = {}) {
    const auto replayed = replay(recorded(rounds), communicators);
    EXPECT_TRUE(replayed) << replayed.error().message;
    return replayed ? replayed.value().kinds : std::vector<StepKind>();
}

std::string why_not(const std::vector<RankRounds>& ranks, const Communicators& communicators = {}) {
    const auto replayed = replay(ranks, communicators);
    return replayed ? "" : replayed.error().message;
}

TEST(Replay, NoRanksHaveNoSteps) { EXPECT_TRUE(kinds_of({}).empty()); }

TEST(Replay, AnExchangeOfAllIsOneKind) {
    // each rank sends to both neighbours in a ring of three, and waits for all
    const Rounds rounds = {
        {{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}},
        {{{2, 0}, {2, 0}}, {{2, 0}, {2, 0}}},
        {{{0, 1}, {0, 1}}, {{0, 1}, {0, 1}}},
    };

    const auto kinds = kinds_of(rounds);

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 2}}));
}

TEST(Replay, DirectionsOneAfterTheOtherAreTwoKinds) {
    // Each rank sends up the ring and waits, and then sends down and waits.
    const Rounds rounds = {
        {{{1}, {2}}, {{2}, {1}}, {{1}, {2}}, {{2}, {1}}},
        {{{2}, {0}}, {{0}, {2}}, {{2}, {0}}, {{0}, {2}}},
        {{{0}, {1}}, {{1}, {0}}, {{0}, {1}}, {{1}, {0}}},
    };

    const auto kinds = kinds_of(rounds);

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 2},
                                            {{{0, 1}, {1, 1}, {2, 1}}, 2}}));
}

TEST(Replay, PingPongTakesTurns) {
    // rank 0: Send, Recv, twice; rank 1: Recv, then Send and Recv in one round, then the last Send
    const Rounds rounds = {
        {{{1}, {1}}, {{1}, {1}}},
        {{{}, {0}}, {{0}, {0}}, {{0}, {}}},
    };

    const auto kinds = kinds_of(rounds);

    // ticks: 0 sends at 0, 1 answers at 1, 0 sends at 2, 1 answers at 3
    EXPECT_EQ(kinds, (std::vector<StepKind>{
                         {{{0, 0}, {1, 0}}, 1}, {{{1, 1}}, 1}, {{{0, 0}}, 1}, {{{1, 2}}, 1}}));
}

TEST(Replay, TellsWhenEachRoundBegins) {
    // rank 0: Send, Recv; rank 1: Recv, then Send
    const auto replayed = replay(recorded({{{{1}, {1}}}, {{{}, {0}}, {{0}, {}}}}), Communicators{});

    ASSERT_TRUE(replayed) << replayed.error().message;
    // rank 1's first round begins with the run, and ends when the message has come
    EXPECT_EQ(replayed.value().begins, (std::vector<std::vector<std::uint64_t>>{{0}, {0, 1}}));
}

TEST(Replay, AProfileWithoutRoundsIsNotReplayed) {
    const auto replayed = replay(Profile{});

    ASSERT_FALSE(replayed);
    EXPECT_EQ(replayed.error().code, Errc::not_found);
}

TEST(Replay, ATokenVisitsOneRankAfterTheOther) {
    // rank 0 sends and waits for the token to come round; the others receive and pass on
    const Rounds rounds = {
        {{{1}, {2}}},
        {{{}, {0}}, {{2}, {}}},
        {{{}, {1}}, {{0}, {}}},
    };

    const auto kinds = kinds_of(rounds);

    // a rank waits in the step in which its message is sent
    EXPECT_EQ(kinds,
              (std::vector<StepKind>{{{{0, 0}, {1, 0}}, 1}, {{{1, 1}, {2, 0}}, 1}, {{{2, 1}}, 1}}));
}

TEST(Replay, AWavefrontRunsAlongDiagonals) {
    // 3 x 3: a rank receives from above and from the left, then sends down and to the right
    Rounds rounds(9);
    for (RankId row = 0; row < 3; ++row)
        for (RankId column = 0; column < 3; ++column) {
            const RankId rank = 3 * row + column;
            if (row > 0) rounds[rank].push_back({{}, {rank - 3}});
            if (column > 0) rounds[rank].push_back({{}, {rank - 1}});
            Round last;
            if (row < 2) last.to.push_back(rank + 3);
            if (column < 2) last.to.push_back(rank + 1);
            if (!last.to.empty()) rounds[rank].push_back(last);
        }

    const auto kinds = kinds_of(rounds);

    // All messages of a rank leave in one step, and no step has senders of two diagonals.
    std::vector<std::set<RankId>> senders;
    for (const StepKind& kind : kinds) {
        std::set<RankId> of_step;
        for (const StepMember& member : kind.members)
            if (!recorded(rounds)[member.rank].signatures[member.signature].sent.empty())
                of_step.insert(member.rank);
        if (!of_step.empty()) senders.push_back(of_step);
    }
    EXPECT_EQ(senders, (std::vector<std::set<RankId>>{{0}, {1, 3}, {2, 4, 6}, {5, 7}}));
}

TEST(Replay, OpenBoundariesLeaveTheirRanksOut) {
    // three ranks in a row exchange to the right, then to the left
    const Rounds rounds = {
        {{{1}, {}}, {{}, {1}}},
        {{{2}, {0}}, {{0}, {2}}},
        {{{}, {1}}, {{1}, {}}},
    };

    const auto kinds = kinds_of(rounds);

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 1},
                                            {{{0, 1}, {1, 1}, {2, 1}}, 1}}));
}

TEST(Replay, GroupsThatRunApartShareTicks) {
    // 0 and 1 exchange twice, 2 and 3 once: nothing lines them up but the number of the round
    const Round a = {{1}, {1}}, b = {{0}, {0}}, c = {{3}, {3}}, d = {{2}, {2}};

    const auto kinds = kinds_of({{a, a}, {b, b}, {c}, {d}});

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, 1},
                                            {{{0, 0}, {1, 0}}, 1}}));
}

TEST(Replay, ACollectiveWaitsForItsLastMember) {
    // 0 and 1 exchange three times before the collective of all; 2 comes to it at once
    const Round x0 = {{1}, {1}}, x1 = {{0}, {0}}, all = {{}, {}, {0}}, after = {{0}, {}};

    const auto kinds =
        kinds_of({{x0, x0, x0, all, {{}, {2}}}, {x1, x1, x1, all}, {all, after}}, {{0, 1, 2}});

    // 2 begins its collective at tick 0, and its message comes after that of the others: tick 4
    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 1},
                                            {{{0, 0}, {1, 0}}, 2},
                                            {{{0, 1}, {1, 1}}, 1},
                                            {{{0, 2}, {2, 1}}, 1}}));
}

TEST(Replay, CollectivesOfPartsDoNotLineUpTheRest) {
    // rows of a 2 x 2 grid: row 0 has two collectives, row 1 one
    const Round row0 = {{}, {}, {0}}, row1 = {{}, {}, {1}};

    const auto kinds = kinds_of({{row0, row0}, {row0, row0}, {row1}, {row1}}, {{0, 1}, {2, 3}});

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, 1},
                                            {{{0, 0}, {1, 0}}, 1}}));
}

TEST(Replay, ANonblockingCollectiveOverAHalo) {
    // Iallreduce, then a halo exchange, then the wait for the collective after it
    const Round with0 = {{1}, {1}, {}, {0}}, with1 = {{0}, {0}, {}, {0}};
    const Round halo0 = {{1}, {1}, {}, {}, {0}}, halo1 = {{0}, {0}, {}, {}, {0}};

    const auto kinds = kinds_of({{with0, halo0}, {with1, halo1}}, {{0, 1}});

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}}, 1}, {{{0, 1}, {1, 1}}, 1}}));
}

TEST(Replay, MessagesOfOnePairAreInOrder) {
    // 0 sends three messages in one round, which 1 receives one by one
    const Round three = {{1, 1, 1}, {}}, one = {{}, {0}};

    const auto kinds = kinds_of({{three}, {one, one, one}});

    EXPECT_EQ(kinds, (std::vector<StepKind>{{{{0, 0}, {1, 0}, {1, 0}, {1, 0}}, 1}}));
}

TEST(Replay, MessagesThatNobodyReceivesAreNoReason) {
    EXPECT_EQ(kinds_of({{{{1}, {}}}, {}}).size(), 1u);
}

TEST(Replay, SaysWhoWaitsForAMessageThatIsNeverSent) {
    EXPECT_EQ(why_not(recorded({{{{}, {1}}}, {}})),
              "rank 0 waits for a message that no recorded round sends");
}

TEST(Replay, ACollectiveThatOneMemberNeverBegins) {
    EXPECT_EQ(why_not(recorded({{{{}, {}, {0}}}, {}}), {{0, 1}}),
              "rank 0 waits for a message that no recorded round sends");
}

TEST(Replay, RefusesRoundsThatCannotBeToldApart) {
    auto ranks = recorded({{}, {}});
    ranks[1].unclear = true;

    EXPECT_NE(why_not(ranks).find("rank 1 has rounds that cannot be told apart"),
              std::string::npos);
}

TEST(Replay, WhatComesBehindACutListIsLeftOut) {
    // 0 has room for two of its four rounds, 1 for all: its last two never end
    const Round x0 = {{1}, {1}}, x1 = {{0}, {0}};
    auto ranks = recorded({{x0, x0, x0, x0}, {x1, x1, x1, x1}});
    ranks[0].order.resize(2);

    const auto replayed = replay(ranks, {});

    ASSERT_TRUE(replayed) << replayed.error().message;
    EXPECT_EQ(replayed.value().kinds,
              (std::vector<StepKind>{{{{0, 0}, {1, 0}}, 2}, {{{1, 0}}, 1}}));
}

TEST(Replay, ACutListHidesNoRankThatWaitsForEver) {
    // Rank 0 goes on behind its list. Rank 1 waits in its first round for a message that nobody
    // sends.
    const Round x = {{2}, {}}, wait = {{}, {0}};
    auto ranks = recorded({{x, x, x, x}, {wait, wait, wait, wait}, {}});
    ranks[0].order.resize(2);

    EXPECT_EQ(why_not(ranks), "rank 1 waits for a message that no recorded round sends");
}

TEST(Replay, NobodyReceivesWhatIsPut) {
    auto ranks = recorded({{{{1}, {}}}, {{{}, {0}}}});
    ranks[0].signatures[0].put = std::exchange(ranks[0].signatures[0].sent, {});

    EXPECT_EQ(why_not(ranks), "rank 1 waits for a message that no recorded round sends");
}

TEST(Replay, RefusesACommunicatorThatIsNone) {
    EXPECT_EQ(why_not(recorded({{{{}, {}, {1}}}}), {{0}}),
              "rounds are on a communicator that is none");
}

TEST(Replay, LongRunsAreReplayedFromTheirBeginning) {
    // 512 ranks that send 511 messages each in 4,000 rounds are more work than is replayed.
    std::vector<RankRounds> ranks(512);
    for (RankId rank = 0; rank < 512; ++rank) {
        Signature signature;
        signature.rounds = 4000;
        for (RankId peer = 0; peer < 512; ++peer) {
            if (peer == rank) continue;
            signature.sent.push_back({peer, 0, 4000, 4000});
            signature.received.push_back({peer, 1});
        }
        ranks[rank].signatures = {signature};
        ranks[rank].order.assign(4000, 0);
    }

    const auto replayed = replay(ranks, {});

    ASSERT_TRUE(replayed) << replayed.error().message;
    ASSERT_EQ(replayed.value().kinds.size(), 1u);
    EXPECT_EQ(replayed.value().kinds[0].count, 8u);
}

TEST(Replay, ARoundWithoutASignatureEndsItsList) {
    const Round x0 = {{1}, {1}}, x1 = {{0}, {0}};
    auto ranks = recorded({{x0, x0, x0}, {x1, x1, x1}});
    ranks[0].order[1] = RankRounds::other;
    ranks[0].signatures[0].rounds = 2;
    for (TrafficCell& cell : ranks[0].signatures[0].sent) cell.count = 2;
    ranks[0].other_rounds = 1;

    const auto replayed = replay(ranks, {});

    ASSERT_TRUE(replayed) << replayed.error().message;
    EXPECT_EQ(replayed.value().kinds,
              (std::vector<StepKind>{{{{0, 0}, {1, 0}}, 1}, {{{1, 0}}, 1}}));
}

/// Computes the clocks the slow way: they grow until no rule of replay() asks for more.
struct Twin {
    const Rounds& rounds;
    const Communicators& communicators;
    std::vector<std::vector<std::uint64_t>> begin;  ///< by rank and round; one more at the end
    std::vector<std::vector<std::uint64_t>> arrival;

    explicit Twin(const Rounds& r, const Communicators& c) : rounds(r), communicators(c) {
        for (const auto& of_rank : rounds) begin.emplace_back(of_rank.size() + 1, 0);
        arrival = begin;
        while (relax()) {
        }
    }
    /// The round in which `rank` sends its k-th message to `peer`.
    std::uint64_t sent_at(RankId rank, RankId peer, std::size_t k) const {
        for (std::size_t i = 0; i < rounds[rank].size(); ++i)
            for (const RankId to : rounds[rank][i].to)
                if (to == peer && k-- == 0) return begin[rank][i];
        ADD_FAILURE() << "never sent";
        return 0;
    }
    std::uint64_t last_begin(std::uint32_t communicator, std::size_t k) const {
        std::uint64_t last = 0;
        for (const RankId member : communicators[communicator]) {
            std::size_t left = k;
            for (std::size_t i = 0; i < rounds[member].size(); ++i)
                for (const auto* list : {&rounds[member][i].collectives, &rounds[member][i].begun})
                    for (const std::uint32_t c : *list)
                        if (c == communicator && left-- == 0)
                            last = std::max(last, begin[member][i]);
        }
        return last;
    }
    static bool begins(const Round& round) {
        return !round.to.empty() || !round.collectives.empty() || !round.begun.empty();
    }
    /// The step that a round is in.
    std::uint64_t step(RankId rank, std::size_t i) const {
        return begins(rounds[rank][i]) || arrival[rank][i] == 0 ? begin[rank][i]
                                                                : arrival[rank][i] - 1;
    }
    bool relax() {
        bool changed = false;
        for (RankId rank = 0; rank < rounds.size(); ++rank) {
            std::map<RankId, std::size_t> received;
            std::map<std::uint32_t, std::size_t> ended;
            for (std::size_t i = 0; i < rounds[rank].size(); ++i) {
                std::uint64_t end = begin[rank][i] + (begins(rounds[rank][i]) ? 1 : 0);
                std::uint64_t& last = arrival[rank][i];
                for (const RankId from : rounds[rank][i].from)
                    last = std::max(last, sent_at(from, rank, received[from]++) + 1);
                for (const auto* list : {&rounds[rank][i].collectives, &rounds[rank][i].ended})
                    for (const std::uint32_t c : *list)
                        last = std::max(last, last_begin(c, ended[c]++) + 1);
                end = std::max(end, last);
                if (begin[rank][i + 1] < end) {
                    begin[rank][i + 1] = end;
                    changed = true;
                }
            }
        }
        return changed;
    }
};

/// Returns a random program without deadlock: events are drawn in a global order, and then cut into
/// rounds.
Rounds random_program(std::mt19937& random, std::size_t num_ranks, const Communicators& comms) {
    Rounds rounds(num_ranks, std::vector<Round>(1));
    std::vector<std::vector<std::uint32_t>> open(num_ranks);  // collectives begun and not ended
    const auto next_round = [&](RankId rank) {
        if (rounds[rank].back() != Round()) rounds[rank].emplace_back();
    };
    for (int i = 0; i < 60; ++i) {
        if (random() % 5 == 0) {
            const auto c = static_cast<std::uint32_t>(random() % comms.size());
            const bool blocking = random() % 2 == 0;
            for (const RankId member : comms[c]) {
                if (blocking || std::count(open[member].begin(), open[member].end(), c) > 0) {
                    // All open collectives end here, in order.
                    for (const std::uint32_t other : open[member])
                        rounds[member].back().ended.push_back(other);
                    open[member].clear();
                    rounds[member].back().collectives.push_back(c);
                    next_round(member);
                } else {
                    rounds[member].back().begun.push_back(c);
                    open[member].push_back(c);
                }
            }
            continue;
        }
        const auto from = static_cast<RankId>(random() % num_ranks);
        const auto to = static_cast<RankId>(random() % num_ranks);
        if (from == to) continue;
        rounds[from].back().to.push_back(to);
        rounds[to].back().from.push_back(from);
        if (random() % 2 == 0) next_round(to);
    }
    for (RankId rank = 0; rank < num_ranks; ++rank)
        for (const std::uint32_t c : open[rank]) rounds[rank].back().ended.push_back(c);
    for (auto& of_rank : rounds)
        if (of_rank.back() == Round()) of_rank.pop_back();
    return rounds;
}

TEST(Replay, HasTheClocksOfASlowTwin) {
    std::mt19937 random(7);
    const Communicators comms = {{0, 1, 2, 3, 4}, {0, 2, 4}, {1, 3}};
    for (int i = 0; i < 200; ++i) {
        const Rounds rounds = random_program(random, 5, comms);
        const std::vector<RankRounds> ranks = recorded(rounds);
        const Twin twin(rounds, comms);
        std::map<std::uint64_t, std::vector<StepMember>> steps;
        for (RankId rank = 0; rank < rounds.size(); ++rank)
            for (std::size_t r = 0; r < rounds[rank].size(); ++r)
                steps[twin.step(rank, r)].push_back({rank, ranks[rank].order[r]});
        std::map<std::vector<StepMember>, std::uint64_t> expected;
        for (auto& [clock, members] : steps) {
            std::sort(members.begin(), members.end());
            ++expected[members];
        }

        const auto replayed = replay(ranks, comms);

        ASSERT_TRUE(replayed) << replayed.error().message << " in program " << i;
        std::map<std::vector<StepMember>, std::uint64_t> got;
        for (const StepKind& kind : replayed.value().kinds) got[kind.members] = kind.count;
        ASSERT_EQ(got, expected) << "in program " << i;
    }
}

TEST(Replay, OtherNumbersOfRanksChangeNothing) {
    std::mt19937 random(8);
    const Communicators comms = {{0, 1, 2, 3, 4}};
    const std::vector<RankId> other = {3, 0, 4, 1, 2};
    for (int i = 0; i < 50; ++i) {
        const Rounds rounds = random_program(random, 5, comms);
        Rounds renumbered(5);
        for (RankId rank = 0; rank < 5; ++rank) {
            renumbered[other[rank]] = rounds[rank];
            for (Round& round : renumbered[other[rank]])
                for (auto* peers : {&round.to, &round.from})
                    for (RankId& peer : *peers) peer = other[peer];
        }

        auto kinds = kinds_of(rounds, comms);
        const auto renumbered_kinds = kinds_of(renumbered, {{3, 0, 4, 1, 2}});

        for (StepKind& kind : kinds) {
            for (StepMember& member : kind.members) member.rank = other[member.rank];
            std::sort(kind.members.begin(), kind.members.end());
        }
        ASSERT_EQ(kinds, renumbered_kinds) << "in program " << i;
    }
}

}  // namespace
}  // namespace commmap
