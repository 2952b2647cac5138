// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/run_script.hpp"

#include "core/simulation/simulated.hpp"
#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

std::string why_not(const Profile& profile) {
    const auto script = script_of(profile);
    return script ? "" : script.error().message;
}

/// Each of two ranks sends to the other in each of `rounds` rounds.
Profile exchanges(std::size_t rounds, std::uint64_t bytes = 1000) {
    return run_of({std::vector<Round>(rounds, {{1}, {1}}), std::vector<Round>(rounds, {{0}, {0}})},
                  bytes);
}

TEST(RunScript, RefusesCollectivesOfNobody) {
    Profile profile = exchanges(1);
    profile.rounds.collectives = {{.communicator = 3}};
    EXPECT_EQ(why_not(profile), "rounds are on a communicator that is none");

    profile.communicators = {{0, 1}};
    profile.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::bcast, .root = 7}};
    EXPECT_EQ(why_not(profile), "the root of a collective is not in its communicator");
}

TEST(RunScript, AShortRunIsSimulatedWholeAndSeveralTimes) {
    const auto script = script_of(exchanges(10));

    ASSERT_TRUE(script);
    EXPECT_EQ(script.value().ranks[0].order.size(), 10U);
    EXPECT_DOUBLE_EQ(script.value().covered, 1.0);
    EXPECT_EQ(script.value().repeats, 3U);
}

TEST(RunScript, OfALongRunTheMiddleIsTaken) {
    Profile profile = exchanges(40'000);
    for (RankRounds& rank : profile.rounds.ranks)
        for (Signature& signature : rank.signatures) signature.seconds = 1.0;
    const auto script = script_of(profile);

    ASSERT_TRUE(script);
    // a message and a wait for each round of each rank
    EXPECT_EQ(script.value().ranks[0].order.size(), most_simulated_messages / 4);
    EXPECT_NEAR(script.value().covered, most_simulated_messages / 160'000.0, 1e-3);
    EXPECT_EQ(script.value().repeats, 1U);
    for (const RunScript::Before& before : script.value().before) {
        EXPECT_EQ(before.sent, before.received);
        EXPECT_LE(20'000 - most_simulated_messages / 8 - before.sent, 1U);
    }
}

TEST(RunScript, TheMiddleTakesAsLongAsItsShareOfTheWhole) {
    const Hct hct = two_nodes_of_two();
    const Profile whole = exchanges(2'000);
    const Profile part = exchanges(40'000);

    const auto script = script_of(part);
    ASSERT_TRUE(script);
    const double each_s = exact_s(whole, hct, {0, 2}) / 2'000;

    EXPECT_NEAR(exact_s(part, hct, {0, 2}),
                each_s * static_cast<double>(script.value().ranks[0].order.size()), 1e-9);
}

TEST(RunScript, RefusesAMiddleThatIsUnlikeTheRest) {
    // all bytes are in the last of many rounds
    std::vector<Round> first(40'000, {{1}, {1}});
    std::vector<Round> second(40'000, {{0}, {0}});
    first.push_back({{1, 1}, {}});
    second.push_back({{}, {0, 0}});
    Profile profile = run_of({first, second}, 10);
    profile.rounds.ranks[0].signatures[1].sent[0].bytes = 1'000'000'000;

    EXPECT_EQ(why_not(profile), "the rounds that can be simulated are unlike the rest of the run");
}

TEST(RunScript, RoundsThatAreNotListedCountAsNotCovered) {
    Profile profile = exchanges(10);
    for (RankRounds& rank : profile.rounds.ranks) {
        Signature& signature = rank.signatures[0];
        signature.rounds *= 4;
        signature.sent[0].count *= 4;
        signature.sent[0].bytes *= 4;
        signature.seconds = 1.0;
    }

    const auto script = script_of(profile);

    ASSERT_TRUE(script);
    EXPECT_DOUBLE_EQ(script.value().covered, 0.25);
}

TEST(RunScript, StepsOfACollectiveWaitForEachOther) {
    // recursive doubling of 8 bytes among 4 ranks: two steps of one exchange each
    Profile profile = run_of({{{}}, {{}}, {{}}, {{}}}, 0);
    profile.communicators = {{0, 1, 2, 3}};
    profile.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::allreduce, .bucket = 1}};
    for (RankRounds& rank : profile.rounds.ranks) {
        rank.signatures[0].collectives = {{0, 1, 8}};
        rank.signatures[0].meetings = {{0, 1, 1}};
    }

    const auto script = script_of(profile);

    ASSERT_TRUE(script);
    const auto& round = script.value().ranks[0].rounds[0];
    ASSERT_EQ(round.size(), 3U);  // the sends and receives, the collective, the waits
    ASSERT_EQ(round[1].second - round[1].first, 2U);
    for (std::uint32_t i = round[1].first; i < round[1].second; ++i) {
        const ScriptStage& stage = script.value().stages[i];
        ASSERT_EQ(stage.sends.size(), 1U);
        EXPECT_EQ(stage.sends[0].bytes, 8.0);
        EXPECT_EQ(stage.waits.size(), 1U);
    }
}

TEST(RunScript, RefusesOneRoundOfTooManyMessages) {
    // an alltoall of 600 ranks has 360,000
    Profile profile;
    profile.ranks.resize(600);
    profile.communicators.emplace_back();
    profile.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::alltoall, .bucket = 9}};
    for (RankId rank = 0; rank < 600; ++rank) {
        profile.communicators[0].push_back(rank);
        RankRounds& rounds = profile.rounds.ranks.emplace_back();
        Signature& signature = rounds.signatures.emplace_back();
        signature.rounds = 1;
        signature.collectives = {{0, 1, 100'000}};
        rounds.order = {0};
    }
    EXPECT_EQ(why_not(profile), "the collectives have too many messages to simulate");
}

TEST(RunScript, RefusesManyRanks) {
    const std::vector<std::vector<Round>> nothing(most_simulated_messages / 16 + 1);
    EXPECT_EQ(why_not(run_of(nothing, 1)), "there are too many ranks to simulate many rounds");
}

TEST(RunScript, RefusesRoundsThatNoRunCanHave) {
    // A damaged profile may have any numbers.
    Profile messages = exchanges(1);
    messages.rounds.ranks[0].signatures[0].sent[0].count = UINT64_MAX;
    EXPECT_EQ(why_not(messages), "one round of all ranks has too many messages to simulate");

    Profile calls = exchanges(1);
    calls.communicators = {{0, 1}};
    calls.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::allreduce, .bucket = 1}};
    calls.rounds.ranks[0].signatures[0].collectives = {{0, UINT64_MAX, 0}};
    EXPECT_EQ(why_not(calls), "the collectives have too many messages to simulate");
}

}  // namespace
}  // namespace commmap
