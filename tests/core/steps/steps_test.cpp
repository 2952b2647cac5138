// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/steps/steps.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/steps/rounds.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t message_bytes = 1000;
constexpr auto bucket = static_cast<std::uint32_t>(size_bucket(message_bytes));

/// A profile whose sums are those of its rounds.
Profile profile_of(const std::vector<std::vector<Round>>& rounds) {
    Profile profile;
    profile.ranks.resize(rounds.size());
    std::vector<std::vector<TrafficCell>> rows;
    for (const auto& of_rank : rounds) {
        profile.rounds.ranks.push_back(rank_rounds(of_rank, message_bytes));
        auto& row = rows.emplace_back();
        for (const Signature& signature : profile.rounds.ranks.back().signatures)
            add_row(row, signature.sent);
    }
    profile.phases.emplace_back().sent = TrafficMatrix(rows);
    return profile;
}

std::vector<Step> steps(const Profile& profile, std::size_t most = 64) {
    auto replayed = replay(profile);
    EXPECT_TRUE(replayed) << replayed.error().message;
    return replayed ? steps_of(profile, std::move(replayed).value().kinds, most)
                    : std::vector<Step>();
}

/// Returns the messages of all steps together.
TrafficMatrix sum_of_steps(const std::vector<Step>& steps, std::size_t num_ranks) {
    std::vector<const TrafficMatrix*> sent;
    for (const Step& step : steps) sent.push_back(&step.sent);
    return sum_of(sent, num_ranks);
}

TEST(Steps, WhatIsAllAtOnceIsTheWholeRun) {
    const Round a = {{1, 2}, {1, 2}}, b = {{2, 0}, {2, 0}}, c = {{0, 1}, {0, 1}};
    const Profile profile = profile_of({{a, a, a}, {b, b, b}, {c, c, c}});

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 3u);
    EXPECT_TRUE(found[0].sent == profile.phases[0].sent);
}

TEST(Steps, DirectionsHaveTheirOwnMessages) {
    const Profile profile = profile_of({{{{1}, {1}}, {{2}, {2}}, {{1}, {1}}},
                                        {{{0}, {0}}, {{3}, {3}}, {{0}, {0}}},
                                        {{{3}, {3}}, {{0}, {0}}, {{3}, {3}}},
                                        {{{2}, {2}}, {{1}, {1}}, {{2}, {2}}}});

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].count, 2u);
    EXPECT_TRUE(found[0].sent == TrafficMatrix({{{1, bucket, 2, 2000}},
                                                {{0, bucket, 2, 2000}},
                                                {{3, bucket, 2, 2000}},
                                                {{2, bucket, 2, 2000}}}));
    EXPECT_EQ(found[1].count, 1u);
    EXPECT_TRUE(found[1].sent == TrafficMatrix({{{2, bucket, 1, 1000}},
                                                {{3, bucket, 1, 1000}},
                                                {{0, bucket, 1, 1000}},
                                                {{1, bucket, 1, 1000}}}));
}

TEST(Steps, DividesWhatOneSignatureHasInSeveralKinds) {
    // Rank 1 receives first. So its first send is in one step with rank 0's second send, and its
    // second send is alone.
    const Round send = {{1}, {}}, answer = {{0}, {}}, get = {{}, {0}};
    const Profile profile = profile_of({{send, send}, {get, answer, answer}});

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 3u);
    EXPECT_TRUE(found[0].sent == TrafficMatrix({{{1, bucket, 1, 1000}}, {}}));
    EXPECT_TRUE(found[1].sent == TrafficMatrix({{{1, bucket, 1, 1000}}, {{0, bucket, 1, 1000}}}));
    EXPECT_TRUE(found[2].sent == TrafficMatrix({{}, {{0, bucket, 1, 1000}}}));
}

TEST(Steps, WhatIsInNoRoundIsTheRest) {
    const Round a = {{1}, {1}}, b = {{0}, {0}};
    Profile profile = profile_of({{a, a}, {b, b}});
    // The profile has three messages more than the listed rounds, in three rounds whose signature
    // is not listed.
    profile.phases[0].sent = TrafficMatrix({{{1, bucket, 5, 5000}}, {{0, bucket, 2, 2000}}});
    profile.rounds.ranks[0].other_rounds = 3;

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[1].count, 0u);
    EXPECT_TRUE(found[1].sent == TrafficMatrix({{{1, bucket, 3, 3000}}, {}}));
}

TEST(Steps, AMessageIsInOneStep) {
    // A signature is in three steps, but has only two messages in all of them together.
    const Round a = {{1}, {}}, b = {{2}, {}}, c = {{1, 2}, {}};
    Profile profile = profile_of({{a, b, a, c, a}, {}, {}});
    Signature& signature = profile.rounds.ranks[0].signatures[0];
    signature.sent = {{1, bucket, 2, 2000}};
    profile.phases[0].sent = TrafficMatrix({{{1, bucket, 3, 3000}, {2, bucket, 2, 2000}}, {}, {}});

    EXPECT_TRUE(sum_of_steps(steps(profile), 3) == profile.phases[0].sent);
}

TEST(Steps, OfAMeanOfRunsAreDividedAsTheLastRun) {
    const Round a = {{1}, {}}, b = {{1, 1}, {}};
    Profile profile = profile_of({{a, b}, {}});
    profile.runs = 2;
    profile.phases[0].sent = TrafficMatrix({{{1, bucket, 30, 30000}}, {}});

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(found[0].sent == TrafficMatrix({{{1, bucket, 10, 10000}}, {}}));
    EXPECT_TRUE(found[1].sent == TrafficMatrix({{{1, bucket, 20, 20000}}, {}}));
}

TEST(Steps, OfCollectivesAloneAreJoinedToo) {
    // 50 kinds of steps: in each, both ranks begin a collective on their own communicators.
    std::vector<Round> rounds0;
    std::vector<Round> rounds1;
    Profile profile = profile_of({rounds0, rounds1});
    profile.communicators = {{0}, {1}};
    profile.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::allreduce},
                                  {.communicator = 1, .op = CollectiveOp::allreduce}};
    for (const RankId rank : {0U, 1U}) {
        RankRounds& rounds = profile.rounds.ranks[rank];
        for (std::uint8_t i = 0; i < 50; ++i) {
            Signature signature;
            signature.rounds = 1;
            signature.collectives = {{rank, 1, 8}};
            signature.meetings = {{rank, 1, 1}};
            rounds.signatures.push_back(signature);
            rounds.order.push_back(rank == 0 ? i : static_cast<std::uint8_t>(49 - i));
        }
    }

    const auto found = steps(profile, 10);

    EXPECT_LE(found.size(), 10u);
    EXPECT_GT(found.size(), 1u);
}

TEST(Steps, StandForTheRoundsThatAreNotListed) {
    const Round a = {{1}, {1}}, b = {{0}, {0}};
    Profile profile = profile_of({{a, a, a, a}, {b, b, b, b}});
    for (RankRounds& rank : profile.rounds.ranks) rank.order.resize(2);

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].sent == profile.phases[0].sent);
}

TEST(Steps, HaveTheirCollectives) {
    const Round halo0 = {{1}, {1}}, halo1 = {{0}, {0}}, sum = {{}, {}, {0}};
    Profile profile = profile_of({{halo0, sum, halo0, sum}, {halo1, sum, halo1, sum}});
    profile.communicators = {{0, 1}};
    profile.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::allreduce}};
    for (RankRounds& rank : profile.rounds.ranks) rank.signatures[1].collectives = {{0, 2, 16}};
    CollectiveRecord record{
        .op = CollectiveOp::allreduce, .calls = 2, .member_calls = 4, .member_bytes = 32};
    profile.phases[0].collectives = {record};

    const auto found = steps(profile);

    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(found[0].collectives.empty());
    EXPECT_EQ(found[1].collectives, std::vector<CollectiveRecord>{record});
    EXPECT_EQ(found[1].sent.num_cells(), 0u);
}

TEST(Steps, SmallKindsAreJoined) {
    // One exchange is repeated 1,000 times. 49 others, each with its own signature, follow once.
    std::vector<Round> rounds0(1000, Round{{1}, {1}});
    std::vector<Round> rounds1(1000, Round{{0}, {0}});
    Profile profile = profile_of({rounds0, rounds1});
    for (RankRounds& rank : profile.rounds.ranks) {
        const RankId peer = &rank == &profile.rounds.ranks[0] ? 1 : 0;
        for (std::uint8_t i = 1; i < 50; ++i) {
            Signature signature = rank.signatures[0];
            signature.rounds = 1;
            signature.sent = {{peer, bucket, 1, message_bytes}};
            rank.signatures.push_back(signature);
            rank.order.push_back(i);
        }
    }

    // Each of the 49 has about a thousandth of the weight.
    const auto found = steps(profile);

    EXPECT_EQ(found.size(), 1u + 5u);
    EXPECT_EQ(found[0].count, 1000u);
    for (std::size_t i = 1; i + 1 < found.size(); ++i) EXPECT_EQ(found[i].count, 11u);
    EXPECT_LE(steps(profile, 3).size(), 3u);
}

TEST(Steps, AllMessagesAreInOneStepEach) {
    std::mt19937 random(3);
    for (int i = 0; i < 100; ++i) {
        std::vector<std::vector<Round>> rounds(4);
        for (int event = 0; event < 40; ++event) {
            const auto from = static_cast<RankId>(random() % 4);
            const auto to = static_cast<RankId>((from + 1 + random() % 3) % 4);
            for (const RankId rank : {from, to})
                if (rounds[rank].empty() || random() % 3 == 0) rounds[rank].emplace_back();
            rounds[from].back().to.push_back(to);
            rounds[to].back().from.push_back(from);
        }
        const Profile profile = profile_of(rounds);

        const auto found = steps(profile);

        EXPECT_TRUE(sum_of_steps(found, 4) == profile.phases[0].sent) << "in program " << i;
        for (const Step& step : found) EXPECT_GT(step.count, 0u);
    }
}

}  // namespace
}  // namespace commmap
