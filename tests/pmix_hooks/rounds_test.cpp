// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Runs programs under mpirun with the recorder preloaded and compares their rounds and steps with
// ones worked out by hand (docs/developer/steps.md).
#include <algorithm>
#include <string>
#include <vector>

#include "core/steps/replay.hpp"
#include "pmix_hooks/recorded_run.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using Texts = std::vector<std::string>;

std::string times(std::uint64_t count) { return count == 1 ? "" : "*" + std::to_string(count); }

/// ">2*3" three messages to rank 2, "<0" one from rank 0, "}1" one that nobody receives, "@1" data
/// fetched from rank 1, "+0" and
/// "-0" a collective on communicator 0 begins and ends; in each of the rounds. "barrier": of that.
std::string text_of(const Signature& signature, const Rounds& rounds) {
    std::string text;
    const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : " ") + what; };
    for (const PeerSum& peer : peers_of(signature.put))
        add("}" + std::to_string(peer.peer) + times(peer.count / signature.rounds));
    for (const PeerSum& peer : peers_of(signature.sent))
        add(">" + std::to_string(peer.peer) + times(peer.count / signature.rounds));
    for (const Signature::Received& from : signature.received)
        add("<" + std::to_string(from.peer) + times(from.count));
    for (const PeerSum& peer : peers_of(signature.fetched))
        add("@" + std::to_string(peer.peer) + times(peer.count / signature.rounds));
    for (const Signature::Begun& begun : signature.collectives)
        add(collective_name(rounds.collectives[begun.collective].op));
    for (const Signature::Meeting& meeting : signature.meetings) {
        const std::string communicator = std::to_string(meeting.communicator);
        if (meeting.begun > 0) add("+" + communicator + times(meeting.begun));
        if (meeting.completed > 0) add("-" + communicator + times(meeting.completed));
    }
    return text;
}

class RoundsTest : public RecordedRun {
protected:
    void record_rounds(int num_ranks, const std::string& scenario) {
        const Outcome outcome = record(num_ranks, "rounds " + scenario);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        profile_ = profile(num_ranks);
        rounds_ = profile_.rounds;
        EXPECT_EQ(rounds_.ranks.size(), static_cast<std::size_t>(num_ranks));
        rounds_.ranks.resize(static_cast<std::size_t>(num_ranks));
    }
    /// One text for each signature.
    [[nodiscard]] Texts signatures(RankId rank) const {
        Texts texts;
        for (const Signature& signature : rounds_.ranks[rank].signatures)
            texts.push_back(text_of(signature, rounds_));
        return texts;
    }
    [[nodiscard]] std::vector<std::uint64_t> counts(RankId rank) const {
        std::vector<std::uint64_t> counts;
        for (const Signature& signature : rounds_.ranks[rank].signatures)
            counts.push_back(signature.rounds);
        return counts;
    }
    /// The numbers of the signatures of the rounds, one after the other.
    [[nodiscard]] std::string order(RankId rank) const {
        std::string order;
        for (const std::uint8_t number : rounds_.ranks[rank].order)
            order += static_cast<char>('0' + number);
        return order;
    }
    [[nodiscard]] std::vector<StepKind> steps() const {
        const auto replayed = replay(rounds_.ranks, profile_.communicators);
        EXPECT_TRUE(replayed) << replayed.error().message;
        return replayed ? replayed.value().kinds : std::vector<StepKind>();
    }

    Profile profile_;
    Rounds rounds_;
};

TEST_F(RoundsTest, BlockingPairsTakeTurns) {
    record_rounds(2, "pairs");

    EXPECT_THAT(signatures(0), ElementsAre(">1 <1"));
    EXPECT_THAT(counts(0), ElementsAre(5));
    EXPECT_THAT(signatures(1), ElementsAre("<0", ">0 <0", ">0"));
    EXPECT_EQ(order(1), "011112");
    EXPECT_EQ(steps(), (std::vector<StepKind>{
                           {{{0, 0}, {1, 0}}, 1}, {{{1, 1}}, 4}, {{{0, 0}}, 4}, {{{1, 2}}, 1}}));
}

/// Programs that exchange up the ring, wait, and then down the ring.
class OneDirectionAfterTheOther : public RoundsTest,
                                  public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Calls, OneDirectionAfterTheOther,
                         testing::Values("sendrecv", "one_by_one"),
                         [](const auto& scenario) { return scenario.param; });

TEST_P(OneDirectionAfterTheOther, IsTwoSteps) {
    record_rounds(3, GetParam());

    EXPECT_THAT(signatures(1), ElementsAre(">2 <0", ">0 <2"));
    EXPECT_EQ(order(1), "0101010101");
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 5},
                                              {{{0, 1}, {1, 1}, {2, 1}}, 5}}));
}

/// Programs that begin an exchange with both neighbours and wait for all of it.
class AllAtOnce : public RoundsTest, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Calls, AllAtOnce,
                         testing::Values("waitall", "waitany", "waitsome", "tests", "testsome",
                                         "persistent"),
                         [](const auto& scenario) { return scenario.param; });

TEST_P(AllAtOnce, IsOneStep) {
    record_rounds(3, GetParam());

    EXPECT_THAT(signatures(1), ElementsAre(">0 >2 <0 <2"));
    EXPECT_EQ(order(1), "00000");
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 5}}));
}

TEST_F(RoundsTest, ANeighbourhoodCollectiveIsARoundInAnyForm) {
    record_rounds(3, "neighbours");

    EXPECT_THAT(signatures(1), ElementsAre("}0 }2 neighbor_alltoall +0 -0"));
    EXPECT_EQ(order(1), "0000000000");
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 10}}));
}

TEST_F(RoundsTest, EpochsEndRounds) {
    record_rounds(3, "epochs");

    EXPECT_THAT(signatures(1), ElementsAre("+0 -0", "}2 +0 -0", "@0"));
    EXPECT_EQ(order(1), "010101010122222");
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 5},
                                              {{{0, 1}, {1, 1}, {2, 1}}, 5},
                                              {{{0, 2}, {1, 2}, {2, 2}}, 5}}));
}

TEST_F(RoundsTest, AMessageIsReceivedInTheRoundThatWaitsForIt) {
    record_rounds(3, "double_buffer");

    EXPECT_THAT(signatures(1), ElementsAre(">2 <0"));
    EXPECT_EQ(order(1), "000000");
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 6}}));
}

TEST_F(RoundsTest, ANonblockingCollectiveEndsInALaterRound) {
    record_rounds(3, "over_a_halo");

    EXPECT_THAT(signatures(1), ElementsAre(">0 >2 <0 <2 allreduce +0", ">0 >2 <0 <2 -0"));
    EXPECT_EQ(order(1), "0101010101");
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 5},
                                              {{{0, 1}, {1, 1}, {2, 1}}, 5}}));
}

TEST_F(RoundsTest, TheEndsOfARowHaveOneNeighbour) {
    record_rounds(3, "open_row");

    EXPECT_THAT(signatures(0), ElementsAre(">1", "<1"));
    EXPECT_THAT(signatures(1), ElementsAre(">2 <0", ">0 <2"));
    EXPECT_THAT(signatures(2), ElementsAre("<1", ">1"));
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 5},
                                              {{{0, 1}, {1, 1}, {2, 1}}, 5}}));
}

TEST_F(RoundsTest, ATokenBesideAShift) {
    record_rounds(3, "token_and_shift");

    EXPECT_THAT(signatures(0), ElementsAre(">1 <2"));
    // the token is passed on, and the shift begins, before rank 1 waits for anything
    EXPECT_THAT(signatures(1), ElementsAre("<0", ">2*2 <0"));
    EXPECT_THAT(signatures(2), ElementsAre("<1", ">0*2 <1"));
    EXPECT_EQ(steps(),
              (std::vector<StepKind>{
                  {{{0, 0}, {1, 0}}, 5}, {{{1, 1}, {2, 0}}, 5}, {{{2, 1}}, 5}, {{{0, 0}}, 5}}));
}

TEST_F(RoundsTest, AWavefrontRunsAlongDiagonals) {
    record_rounds(4, "wavefront");

    EXPECT_THAT(signatures(0), ElementsAre(">1 >2"));
    EXPECT_THAT(signatures(1), ElementsAre("<0", ">3"));
    EXPECT_THAT(signatures(2), ElementsAre("<0", ">3"));
    EXPECT_THAT(signatures(3), ElementsAre("<1", "<2"));
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 1},
                                              {{{1, 1}, {2, 1}, {3, 0}, {3, 1}}, 1}}));
}

TEST_F(RoundsTest, GroupsThatRunApart) {
    record_rounds(4, "apart");

    EXPECT_THAT(signatures(0), ElementsAre(">1 <1", "barrier +0 -0"));
    EXPECT_THAT(signatures(2), ElementsAre(">3 <3", "barrier +1 -1"));
    EXPECT_THAT(counts(0), ElementsAre(10, 10));
    EXPECT_THAT(counts(2), ElementsAre(5, 5));
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, 5},
                                              {{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, 5},
                                              {{{0, 0}, {1, 0}}, 5},
                                              {{{0, 1}, {1, 1}}, 5}}));
}

TEST_F(RoundsTest, AReceiveFromAnyoneHasItsSender) {
    record_rounds(3, "anyone");

    EXPECT_THAT(signatures(1), ElementsAre(">2 <0", ">2*2 <0*2", "barrier +0 -0"));
    EXPECT_EQ(order(1), "0010200102001020010200102");
    EXPECT_FALSE(rounds_.ranks[1].unclear);
}

TEST_F(RoundsTest, AMatchedMessageHasItsSender) {
    record_rounds(3, "matched");

    EXPECT_THAT(signatures(1), ElementsAre(">2 <0", "barrier +0 -0"));
    EXPECT_EQ(order(1), "001001001001001");
    EXPECT_FALSE(rounds_.ranks[1].unclear);
}

TEST_F(RoundsTest, WhatIsCancelledOrFreedIsNotWaitedFor) {
    record_rounds(3, "dropped");

    EXPECT_THAT(signatures(1), ElementsAre(">2 <0"));
    EXPECT_EQ(order(1), "00000");
}

TEST_F(RoundsTest, ALongBlockingSendEndsARound) {
    record_rounds(3, "long_sends");

    EXPECT_THAT(signatures(0), ElementsAre(">1 >2 barrier +0 -0", ">1", ">2", ">1", ">2"));
    EXPECT_EQ(order(0), "0123401234012340123401234");
    EXPECT_EQ(rounds_.ranks[0].signatures[1].sent[0].bytes, 5u * 100000);
    EXPECT_EQ(rounds_.ranks[0].signatures[3].sent[0].bytes, 5u * 1000);
    EXPECT_THAT(signatures(1), ElementsAre("<0", "barrier +0 -0"));
    EXPECT_EQ(order(1).substr(0, 4), "0100");
}

TEST_F(RoundsTest, NobodyReceivesACollectivesMessages) {
    record_rounds(3, "beside_a_collective");

    EXPECT_THAT(signatures(0), ElementsAre("}1 alltoall +0 -0", ">1 barrier +0 -0"));
    EXPECT_THAT(signatures(1), ElementsAre("}2 alltoall +0 -0", "<0", ">2 barrier +0 -0"));
    EXPECT_THAT(signatures(2), ElementsAre("}0 alltoall +0 -0", "<1", "barrier +0 -0"));
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 5},
                                              {{{0, 1}, {1, 1}}, 5},
                                              {{{1, 2}, {2, 1}}, 5},
                                              {{{2, 2}}, 5}}));
}

TEST_F(RoundsTest, CallsWithoutRequestsAreMpisAffair) {
    record_rounds(2, "nothing");

    EXPECT_THAT(signatures(0), ElementsAre("barrier +0 -0"));
}

TEST_F(RoundsTest, SignaturesAboveSixtyFourAreOthers) {
    record_rounds(3, "many_signatures");

    const RankRounds& of_rank = rounds_.ranks[1];
    EXPECT_EQ(of_rank.signatures.size(), 64u);
    EXPECT_EQ(of_rank.other_rounds, 17u);
    EXPECT_EQ(of_rank.num_rounds(), 160u);
    EXPECT_EQ(std::count(of_rank.order.begin(), of_rank.order.end(), RankRounds::other), 17);
    EXPECT_EQ(text_of(of_rank.signatures[63], rounds_), ">2*63 <0*63");
    EXPECT_FALSE(steps().empty());
}

TEST_F(RoundsTest, TheListEndsAndTheSumsGoOn) {
    record_rounds(3, "many_rounds");

    EXPECT_EQ(rounds_.ranks[1].order.size(), RankRounds::most_listed);
    EXPECT_THAT(counts(1), ElementsAre(5000));
    ASSERT_EQ(rounds_.ranks[1].successions.size(), 1u);
    EXPECT_EQ(rounds_.ranks[1].successions[0].count, 4999u);
    EXPECT_EQ(steps(), (std::vector<StepKind>{{{{0, 0}, {1, 0}, {2, 0}}, 4096}}));
}

TEST_F(RoundsTest, ARoundOfTooManyMessagesHasNoSignature) {
    record_rounds(3, "long_round");

    EXPECT_THAT(signatures(1), testing::IsEmpty());
    EXPECT_EQ(rounds_.ranks[1].other_rounds, 1u);
}

/// The same program in Fortran, by each of its three ways to MPI.
class RoundsByLanguage : public RoundsTest, public testing::WithParamInterface<const char*> {
protected:
    Rounds without_times(const std::string& program) {
        EXPECT_EQ(record(4, program).exit_code, 0) << program;
        Rounds rounds = profile(4).rounds;
        for (RankRounds& rank : rounds.ranks)
            for (Signature& signature : rank.signatures)
                signature.seconds = signature.before_wait_s = 0.0;
        return rounds;
    }
};
INSTANTIATE_TEST_SUITE_P(Languages, RoundsByLanguage, testing::Values("f77", "mpi", "f08"),
                         [](const auto& language) { return language.param; });

TEST_P(RoundsByLanguage, AreThoseOfC) {
    for (const std::string scenario : {"sends", "collectives", "nonblocking", "communicators"}) {
        const Rounds in_c = without_times("traffic " + scenario);
        const Rounds in_fortran =
            without_times(std::string("traffic_") + GetParam() + " " + scenario);

        EXPECT_FALSE(in_c.ranks.at(0).order.empty()) << scenario;
        EXPECT_TRUE(in_c == in_fortran) << scenario;
    }
}

TEST_F(RoundsTest, RoundsOfTwoThreadsCannotBeToldApart) {
    record_rounds(3, "two_threads");

    EXPECT_TRUE(rounds_.ranks[1].unclear);
    EXPECT_FALSE(replay(rounds_.ranks, profile_.communicators));
}

TEST_F(RoundsTest, ThreadsThatDoNotSendChangeNothing) {
    record_rounds(3, "one_thread");

    EXPECT_FALSE(rounds_.ranks[1].unclear);
    EXPECT_THAT(signatures(1), ElementsAre(">2 <0"));
}

}  // namespace
}  // namespace commmap
