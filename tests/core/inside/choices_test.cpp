// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace commmap::inside {
namespace {

using testing::HasSubstr;

Choices choices_of(const char* text) {
    auto choices = Choices::parse(text);
    EXPECT_TRUE(choices) << (choices ? "" : choices.error().message);
    return choices ? choices.value() : Choices();
}

constexpr Algorithm native{};
constexpr Algorithm ring{AlgorithmKind::ring, 0};
constexpr Algorithm chain(std::uint32_t segment) { return {AlgorithmKind::chain, segment}; }
constexpr Algorithm tuned(std::uint8_t number, std::uint32_t segment = 0) {
    return {AlgorithmKind::tuned, segment, number};
}

TEST(Choices, ARuleHoldsFromItsBytesOnInCommunicatorsOfItsSize) {
    const Choices choices = choices_of("bcast 16 65536 chain 32768");
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65535).algorithm, native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65536).algorithm, chain(32768));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 1U << 30U).algorithm, chain(32768));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 15, 65536).algorithm, native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 17, 65536).algorithm, native);
    EXPECT_EQ(choices.find(CollectiveOp::allgather, 16, 65536).algorithm, native);
}

TEST(Choices, TheNextRuleEndsTheOneBeforeInAnyOrderOfTheText) {
    const Choices choices = choices_of(
        "bcast 16 1048576 native; bcast 8 0 chain 256 ;bcast 16 4096 chain 4096;\n"
        "bcast 16 65536 chain 32768; allgather 16 4096 ring");
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 4095).algorithm, native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65535).algorithm, chain(4096));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65536).algorithm, chain(32768));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 1048576).algorithm, native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 8, 0).algorithm, chain(256));
    EXPECT_EQ(choices.find(CollectiveOp::allgather, 16, 4096).algorithm, ring);
    EXPECT_EQ(choices.find(CollectiveOp::allreduce, 16, 4096).algorithm, native);
}

TEST(Choices, TellsFromWhichSizeOnItIsWorthToLook) {
    const Choices choices =
        choices_of("bcast 16 65536 chain 32768; bcast 8 4096 chain 4096; bcast 4 1 native");
    EXPECT_EQ(choices.least_bytes(CollectiveOp::bcast), 4096U);
    EXPECT_EQ(choices.least_bytes(CollectiveOp::allreduce), Choices::never);
    EXPECT_EQ(choices_of("").least_bytes(CollectiveOp::bcast), Choices::never);
    EXPECT_EQ(choices_of(" ; ;").least_bytes(CollectiveOp::bcast), Choices::never);
}

TEST(Choices, WithoutRulesAllIsNative) {
    EXPECT_EQ(Choices().find(CollectiveOp::bcast, 16, 65536).algorithm, native);
    EXPECT_EQ(choices_of("").find(CollectiveOp::bcast, 16, 65536).algorithm, native);
}

TEST(Choices, AreReadAsTheyAreWritten) {
    const std::vector<Rule> rules = {
        {CollectiveOp::bcast, 16, 1000, chain(8192)},
        {CollectiveOp::allgather, 16, 20, ring},
        {CollectiveOp::allgather, 16, 21, native},
        {CollectiveOp::reduce, 16, 5, tuned(5)},
        {CollectiveOp::reduce, 16, 9000, tuned(3, 32768)},
        {CollectiveOp::alltoall, 16, 1, tuned(2)},
    };
    const std::string text = Choices::text_of(rules, "");
    EXPECT_EQ(text,
              "bcast 16 1000 chain 8192;allgather 16 20 ring;allgather 16 21 native;"
              "reduce 16 5 tuned binomial;reduce 16 9000 tuned pipeline 32768;"
              "alltoall 16 1 tuned pairwise");
    const Choices choices = choices_of(text.c_str());
    for (const Rule& rule : rules)
        EXPECT_EQ(choices.find(rule.op, 16, rule.from_bytes).algorithm, rule.algorithm);
}

TEST(Choices, ARuleHasACommunicatorWithItsAlgorithm) {
    const Choices choices = choices_of(
        "bcast 16 100 tuned binomial;bcast 16 1000 chain 4096;bcast 16 9000 tuned pipeline 4096;"
        "reduce 16 100 tuned binomial;allgather 16 100 tuned bruck;alltoall 16 1 tuned linear;"
        "bcast 8 100 chain 4096");
    const auto comm_of = [&](CollectiveOp op, std::uint64_t bytes) {
        return int{choices.find(op, 16, bytes).comm};
    };
    EXPECT_EQ(comm_of(CollectiveOp::bcast, 100), 0);
    EXPECT_EQ(comm_of(CollectiveOp::bcast, 1000), 0) << "a chain runs on any in that order";
    EXPECT_EQ(comm_of(CollectiveOp::bcast, 9000), 1) << "a communicator has one for a broadcast";
    EXPECT_EQ(comm_of(CollectiveOp::reduce, 100), 0);
    EXPECT_EQ(comm_of(CollectiveOp::allgather, 100), 2) << "its blocks need the program's order";
    EXPECT_EQ(comm_of(CollectiveOp::alltoall, 1), 2);
    const auto needs = choices.needs(16);
    ASSERT_EQ(needs.size(), 3U);
    EXPECT_EQ(needs[0].order, CommOrder::machine);
    EXPECT_EQ(needs[0].tuned, (std::vector{std::pair(CollectiveOp::bcast, tuned(6)),
                                           std::pair(CollectiveOp::reduce, tuned(5))}));
    EXPECT_EQ(needs[1].tuned, (std::vector{std::pair(CollectiveOp::bcast, tuned(3, 4096))}));
    EXPECT_EQ(needs[2].order, CommOrder::program);
    EXPECT_EQ(choices.needs(8).size(), 1U);
    EXPECT_TRUE(choices.needs(8)[0].tuned.empty());
    EXPECT_TRUE(choices.needs(9).empty());
}

TEST(Choices, TooManyCommunicatorsAreRefused) {
    const auto choices = Choices::parse(
        "bcast 16 1 tuned binomial;bcast 16 2 tuned binomial 256;bcast 16 3 tuned pipeline;"
        "bcast 8 1 tuned pipeline 512;bcast 16 4 tuned pipeline 256");
    ASSERT_FALSE(choices);
    EXPECT_EQ(choices.error().message,
              "the rules for 16 ranks need more than 3 communicators beside the program's");
}

TEST(Choices, HoldForTheLibraryThatTheyWereMeasuredWith) {
    const std::string debians = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
    const std::string mpich = "MPICH Version:      4.0.2\nMPICH Release date: x";
    EXPECT_TRUE(choices_of("bcast 16 1 native").suit(debians)) << "any";
    const std::string text = Choices::text_of({}, "Open MPI v4.1.4");
    EXPECT_EQ(text, "for Open MPI v4.1.4");
    EXPECT_TRUE(choices_of(text.c_str()).suit(debians));
    EXPECT_FALSE(choices_of(text.c_str()).suit("Open MPI v4.1.5, package: x"));
    EXPECT_FALSE(choices_of(text.c_str()).suit(mpich));
    // without what divides the text that tasks get
    const std::string of_mpich = Choices::text_of({}, "MPICH Version:      4.0.2");
    EXPECT_EQ(of_mpich, "for MPICH Version 4.0.2");
    EXPECT_TRUE(choices_of(of_mpich.c_str()).suit(mpich));
}

struct Wrong {
    const char* text;
    const char* why;
};
class WrongRule : public testing::TestWithParam<Wrong> {};

TEST_P(WrongRule, IsNamed) {
    const auto choices = Choices::parse(GetParam().text);
    ASSERT_FALSE(choices);
    EXPECT_EQ(choices.error().code, Errc::invalid_input);
    EXPECT_THAT(choices.error().message, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongRule,
    testing::Values(
        Wrong{"bcast 16 65536", "rule 'bcast 16 65536': expected OPERATION"},
        Wrong{"scan 16 1 ring", "the operation is none of"},
        Wrong{"bcast 1 1 native", "number of ranks"},
        Wrong{"bcast 99999999 1 native", "number of ranks"},
        Wrong{"bcast x 1 native", "number of ranks"}, Wrong{"bcast 16 -1 native", "BYTES"},
        Wrong{"bcast 16 18446744073709551615 native", "BYTES"},
        Wrong{"bcast 16 1 ring", "no such algorithm"},
        Wrong{"allgather 16 1 chain 4096", "no such algorithm"},
        Wrong{"allgather 16 1 faster", "no such algorithm"},
        Wrong{"bcast 16 1 chain", "needs SEGMENT"},
        Wrong{"bcast 16 1 chain 4096 1", "needs SEGMENT"},
        Wrong{"bcast 16 1 chain 255", "SEGMENT is not"},
        Wrong{"bcast 16 1 chain 1073741825", "SEGMENT is not"},
        Wrong{"allgather 16 1 ring 4", "nothing may stand behind"},
        Wrong{"reduce 16 1 ring", "no such algorithm"}, Wrong{"bcast 16 1 tuned", "needs the name"},
        Wrong{"allgather 16 1 tuned x", "of coll/tuned: bruck, recursive_doubling, ring, neighbor"},
        Wrong{"alltoall 16 1 tuned two_proc", "of coll/tuned: linear, pairwise"},
        Wrong{"allgather 16 1 tuned bruck 4096", "nothing may stand behind"},
        Wrong{"bcast 16 1 tuned pipeline 4096 1", "nothing may stand behind"},
        Wrong{"bcast 16 1 tuned pipeline 255", "SEGMENT is not"},
        Wrong{"bcast 16 1 native; bcast 16 1 chain 4096", "two rules for bcast 16 1"}));

}  // namespace
}  // namespace commmap::inside
