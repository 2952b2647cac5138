// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/simulation/run_simulator.hpp"

#include <random>

#include "core/estimate/graphs.hpp"
#include "core/simulation/protocol.hpp"
#include "core/simulation/simulated.hpp"
#include "core/topology/sample_hct.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t small = 10'000;  ///< a short message between nodes, a long one inside
constexpr double link_s = small * Protocol::framing / 100e6;  ///< of such a message on a link

/// Two nodes of two PUs, links of 100 MB/s, no latency.
const Hct& machine() {
    static const Hct hct = two_nodes_of_two();
    return hct;
}

/// Two ranks that send each other a message in one round.
const std::vector<std::vector<Round>> exchange = {{{{1}, {1}}}, {{{0}, {0}}}};

TEST(Simulation, AMessageTakesItsTimeAtTheSlowestPort) {
    EXPECT_NEAR(exact_s(run_of({{{{1}, {}}}, {{{}, {0}}}}, small), machine(), {0, 2}), link_s,
                1e-12);
}

TEST(Simulation, BothDirectionsGoAtOnce) {
    EXPECT_NEAR(exact_s(run_of(exchange, small), machine(), {0, 2}), link_s, 1e-12);
}

TEST(Simulation, BothDirectionsOfAHalfDuplexLinkShareIt) {
    EXPECT_NEAR(exact_s(run_of(exchange, small), two_nodes_of_two(true), {0, 2}), 2 * link_s,
                1e-12);
}

TEST(Simulation, RanksOfANodeShareItsLink) {
    const Profile both = run_of({{{{2}, {}}}, {{{3}, {}}}, {{{}, {0}}}, {{{}, {1}}}}, small);

    EXPECT_NEAR(exact_s(both, machine(), {0, 1, 2, 3}), 2 * link_s, 1e-12);
    // one message each way
    EXPECT_NEAR(exact_s(both, machine(), {0, 3, 2, 1}), link_s, 1e-12);
}

TEST(Simulation, ATokenIsNowhereElse) {
    // The token goes from 0 to 1 to 2 and back to 0. One of these three ways is inside a node.
    const Profile token =
        run_of({{{{1}, {2}}}, {{{}, {0}}, {{2}, {}}}, {{{}, {1}}, {{0}, {}}}}, 2000);

    const double link_of_token_s = 2000 * Protocol::framing / 100e6;
    EXPECT_NEAR(exact_s(token, machine(), {0, 1, 2}), 2000 / 1e9 + 2 * link_of_token_s, 1e-12);
    EXPECT_NEAR(exact_s(token, machine(), {0, 2, 1}), 2000 / 1e9 + 2 * link_of_token_s, 1e-12);
}

TEST(Simulation, RoundsFollowOneAnother) {
    const Profile twice = run_of({{{{1}, {1}}, {{1}, {1}}}, {{{0}, {0}}, {{0}, {0}}}}, small);

    EXPECT_NEAR(exact_s(twice, machine(), {0, 2}), 2 * link_s, 1e-12);
}

TEST(Simulation, LatencyIsPaidForWhatIsWaitedFor) {
    const Hct hct = sweeney_8x2();
    const double port_s = 1000 * Protocol::framing / 12.5e6;

    EXPECT_NEAR(exact_s(run_of(exchange, 1000), hct, {0, 2}), 60e-6 + port_s, 1e-6);
    const Profile answered = run_of({{{{1}, {1}}}, {{{}, {0}}, {{0}, {}}}}, 1000);
    EXPECT_NEAR(exact_s(answered, hct, {0, 2}), 2 * (60e-6 + port_s), 1e-6);
}

TEST(Simulation, ALongMessageWaitsForItsReceiver) {
    // rank 1 receives from 0 only after its exchange with 2
    const std::uint64_t bytes = 100'000;
    const double long_s = bytes * Protocol::framing / 100e6;
    const Profile late = run_of({{{{1}, {}}}, {{{2}, {2}}, {{}, {0}}}, {{{1}, {1}}}}, bytes);
    const double time_s = exact_s(late, machine(), {0, 2, 3});

    // The exchange takes 100 us inside its node. The data for rank 1 are sent only after that.
    EXPECT_GT(time_s, long_s + 100e-6);
    EXPECT_LT(time_s, long_s + 120e-6);
}

TEST(Simulation, TheAnswerToALongMessageWaitsBehindDataOnItsConnection) {
    // Ranks 0 and 1 exchange long messages. If 1 comes late, its answer and its announcement come
    // together. Then 0 sends its data before it answers, and both directions follow one another.
    const std::uint64_t bytes = 100'000;
    const double long_s = bytes * Protocol::framing / 100e6;
    const Profile together = run_of(exchange, bytes);
    const Profile late = run_of({{{{1}, {1}}}, {{{2}, {2}}, {{0}, {0}}}, {{{1}, {1}}}}, bytes);

    const double at_once_s = exact_s(together, machine(), {0, 2});
    const double in_turn_s = exact_s(late, machine(), {0, 2, 3}) - 100e-6;

    EXPECT_LT(at_once_s, 1.1 * long_s);
    EXPECT_GT(in_turn_s, 1.9 * long_s);
    EXPECT_LT(in_turn_s, 2.2 * long_s);
}

TEST(Simulation, ARankThatComputesReadsNoAnnouncement) {
    // The announcement to rank 1 comes while 1 computes. So 1 announces its own message before it
    // answers, both data are asked for at once, and both directions go at once.
    const std::uint64_t bytes = 100'000;
    const double long_s = bytes * Protocol::framing / 100e6;
    Profile late = run_of(exchange, bytes);
    for (ProfileRank& rank : late.ranks) rank.wall_s = rank.mpi_s = 3.0;
    late.ranks[1].mpi_s = 1.0;

    EXPECT_LT(exact_s(late, machine(), {0, 2}) - 2.0, 1.1 * long_s);
}

TEST(Simulation, DirectionsThatFollowOneAnotherGoOnSo) {
    // Rank 1 comes late to the first of three exchanges with 0. An announcement of the next ones
    // comes with the data that its receiver waits for. The receiver computes then, and answers
    // before it announces a message of its own.
    const std::uint64_t bytes = 100'000;
    const double long_s = bytes * Protocol::framing / 100e6;
    Profile late = run_of({{{{1}, {1}}, {{1}, {1}}, {{1}, {1}}},
                           {{{2}, {2}}, {{0}, {0}}, {{0}, {0}}, {{0}, {0}}},
                           {{{1}, {1}}}},
                          bytes);
    for (ProfileRank& rank : late.ranks) {
        rank.mpi_s = 1.0;
        rank.wall_s = 1.0 + 100e-6 * static_cast<double>(late.rounds.ranks[0].num_rounds());
    }

    EXPECT_GT(exact_s(late, machine(), {0, 2, 3}) - 100e-6, 3 * 1.9 * long_s);
}

TEST(Simulation, SendsThatAreWaitedForLaterDoNotHoldUpARank) {
    // Both ranks begin a long send in one round, and receive in the next round. If they waited for
    // their sends before that, both would wait for ever.
    const std::uint64_t bytes = 200'000;
    const double long_s = bytes * Protocol::framing / 100e6;
    const Profile crossed = run_of({{{{1}, {}}, {{}, {1}}}, {{{0}, {}}, {{}, {0}}}}, bytes);

    EXPECT_NEAR(exact_s(crossed, machine(), {0, 2}), long_s, 0.01 * long_s);
}

TEST(Simulation, AMessageToItselfTakesNoTime) {
    const Profile alone = run_of({{{{0}, {0}}, {{0}, {0}}}, {{}}}, 100'000);
    EXPECT_NEAR(exact_s(alone, machine(), {0, 2}), 0.0, 1e-12);
}

TEST(Simulation, MessagesOfVaryingLengthAreAllSent) {
    // Two rounds have a message of 1,000 and of 5,000 bytes, and the signature has both buckets.
    Profile profile = run_of({{{{1}, {}}, {{1}, {}}}, {{{}, {0}}, {{}, {0}}}}, 1000);
    auto& sent = profile.rounds.ranks[0].signatures[0].sent;
    sent[0].count = 1;
    sent[0].bytes = 1000;
    sent.push_back({1, static_cast<std::uint32_t>(size_bucket(5000)), 1, 5000});

    EXPECT_NEAR(exact_s(profile, machine(), {0, 2}), 6000 * Protocol::framing / 100e6, 1e-12);
}

TEST(Simulation, TasksTogetherGetMoreThanOneAlone) {
    Port link = sample_port(100e6);
    link.in.max_bandwidth_bytes_per_s = link.out.max_bandwidth_bytes_per_s = 200e6;
    const Port pu = sample_port(1e9);
    const Hct hct = sample_hct({Level::switch_,
                                {},
                                {sample_node("n0", 2, link, pu), sample_node("n1", 2, link, pu)},
                                "s0"});
    const Profile both = run_of({{{{2}, {}}}, {{{3}, {}}}, {{{}, {0}}}, {{{}, {1}}}}, small);

    // The second message begins when half of the first message's time is over.
    EXPECT_NEAR(exact_s(both, hct, {0, 1, 2, 3}), 1.5 * link_s, 1e-12);
}

TEST(Simulation, TimeOutsideOfMpiGoesBeforeEachRound) {
    Profile profile = run_of(exchange, small);
    for (ProfileRank& rank : profile.ranks) {
        rank.wall_s = 3.0;
        rank.mpi_s = 1.0;
    }
    EXPECT_NEAR(exact_s(profile, machine(), {0, 2}), 2.0 + link_s, 1e-12);
}

TEST(Simulation, ABarrierWaitsForTheLastOne) {
    const std::uint64_t bytes = 2'000;  // short inside nodes too
    const double between_s = bytes * Protocol::framing / 100e6;
    // Ranks 0 and 1 exchange a message, then all three meet, then 2 sends one to 1 inside a node.
    Profile profile =
        run_of({{{{1}, {1}}, {}}, {{{0}, {0}}, {}, {{}, {2}}}, {{}, {{1}, {}}}}, bytes);
    const double without_s = exact_s(profile, machine(), {0, 2, 3});
    profile.communicators = {{0, 1, 2}};
    profile.rounds.collectives = {{.communicator = 0, .op = CollectiveOp::barrier}};
    for (RankRounds& rank : profile.rounds.ranks)
        for (Signature& signature : rank.signatures) {
            if (!signature.sent.empty() || !signature.received.empty()) continue;
            signature.collectives = {{0, signature.rounds, 0}};
            signature.meetings = {{0, 1, 1}};
        }
    const double inside_s = bytes / 1e9;

    EXPECT_NEAR(without_s, between_s, 0.01 * between_s);
    EXPECT_NEAR(exact_s(profile, machine(), {0, 2, 3}), between_s + inside_s, 0.01 * between_s);
}

/// Returns a ring of ranks that exchange messages with both neighbours in each round.
Profile ring_of(std::size_t num_ranks, std::uint64_t bytes, std::size_t rounds) {
    std::vector<std::vector<Round>> all(num_ranks);
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        const auto n = static_cast<RankId>(num_ranks);
        const std::vector<RankId> both = {(rank + 1) % n, (rank + n - 1) % n};
        all[rank].assign(rounds, Round{both, both});
    }
    return run_of(all, bytes);
}

TEST(Simulation, EqualNodesAreEqual) {
    const Hct hct = uniform_tree({4, 2}, {100e6, 1e9});
    const Profile ring = ring_of(8, small, 3);

    EXPECT_DOUBLE_EQ(exact_s(ring, hct, {0, 1, 2, 3, 4, 5, 6, 7}),
                     exact_s(ring, hct, {2, 3, 4, 5, 6, 7, 0, 1}));
}

TEST(Simulation, NeighboursOnOneNodeAreFaster) {
    const Hct hct = uniform_tree({4, 2}, {100e6, 1e9});
    const Profile ring = ring_of(8, small, 3);

    EXPECT_LT(exact_s(ring, hct, {0, 1, 2, 3, 4, 5, 6, 7}),
              0.7 * exact_s(ring, hct, {0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Simulation, TheSameSeedIsTheSameTime) {
    const Hct hct = sweeney_8x2();
    const auto script = script_of(ring_of(16, 80'000, 5));
    ASSERT_TRUE(script);
    std::vector<PuId> placement(16);
    for (PuId pu = 0; pu < 16; ++pu) placement[pu] = pu;

    const auto first = simulated_time_s(script.value(), hct, placement, {.seed = 7});
    const auto again = simulated_time_s(script.value(), hct, placement, {.seed = 7});
    const auto other = simulated_time_s(script.value(), hct, placement, {.seed = 8});

    ASSERT_TRUE(first && again && other);
    EXPECT_DOUBLE_EQ(first.value(), again.value());
    EXPECT_NE(first.value(), other.value());
}

TEST(Simulation, IsNeverFasterThanItsBusiestPort) {
    std::mt19937 random(5);
    for (int round = 0; round < 20; ++round) {
        const Hct hct = sweeney_8x2();
        const std::vector<PuId> placement = random_placement(16, hct.num_pus(), random);
        const Profile ring = ring_of(16, 1000U << (round % 9), 4);
        const double bytes = 4.0 * (1000U << (round % 9));
        std::vector<double> out(hct.num_nodes(), 0.0);
        for (RankId rank = 0; rank < 16; ++rank)
            for (const RankId peer : {(rank + 1) % 16, (rank + 15) % 16})
                if (hct.pu(placement[rank]).node != hct.pu(placement[peer]).node)
                    out[hct.pu(placement[rank]).node] += bytes;
        const double busiest_s =
            *std::max_element(out.begin(), out.end()) * Protocol::framing / 12.5e6;
        EXPECT_GE(exact_s(ring, hct, placement), busiest_s * (1.0 - 1e-9));
    }
}

TEST(Simulation, RefusesAScriptThatStops) {
    auto script = script_of(run_of(exchange, small));
    ASSERT_TRUE(script);
    for (ScriptStage& stage : script.value().stages) stage.sends.clear();

    const auto time_s = simulated_time_s(script.value(), machine(), std::vector<PuId>{0, 2});

    ASSERT_FALSE(time_s);
    EXPECT_EQ(time_s.error().code, Errc::not_supported);
}

TEST(Simulation, RefusesAPlacementOfOtherRanks) {
    const auto script = script_of(run_of(exchange, small));
    ASSERT_TRUE(script);
    EXPECT_FALSE(simulated_time_s(script.value(), machine(), std::vector<PuId>{0}));
}

}  // namespace
}  // namespace commmap
