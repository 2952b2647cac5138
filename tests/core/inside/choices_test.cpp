// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
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

TEST(Choices, ARuleHoldsFromItsBytesOnInCommunicatorsOfItsSize) {
    const Choices choices = choices_of("bcast 16 65536 chain 32768");
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65535), native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65536), chain(32768));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 1U << 30U), chain(32768));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 15, 65536), native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 17, 65536), native);
    EXPECT_EQ(choices.find(CollectiveOp::allgather, 16, 65536), native);
}

TEST(Choices, TheNextRuleEndsTheOneBeforeInAnyOrderOfTheText) {
    const Choices choices = choices_of(
        "bcast 16 1048576 native; bcast 8 0 chain 256 ;bcast 16 4096 chain 4096;\n"
        "bcast 16 65536 chain 32768; allgather 16 4096 ring");
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 4095), native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65535), chain(4096));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 65536), chain(32768));
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 16, 1048576), native);
    EXPECT_EQ(choices.find(CollectiveOp::bcast, 8, 0), chain(256));
    EXPECT_EQ(choices.find(CollectiveOp::allgather, 16, 4096), ring);
    EXPECT_EQ(choices.find(CollectiveOp::allreduce, 16, 4096), native);
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
    EXPECT_EQ(Choices().find(CollectiveOp::bcast, 16, 65536), native);
    EXPECT_EQ(choices_of("").find(CollectiveOp::bcast, 16, 65536), native);
}

TEST(Choices, AreReadAsTheyAreWritten) {
    const std::vector<Rule> rules = {
        {CollectiveOp::bcast, 16, 1000, chain(8192)},
        {CollectiveOp::allgather, 16, 20, ring},
        {CollectiveOp::allgather, 16, 21, native},
    };
    const std::string text = Choices::text_of(rules, "");
    EXPECT_EQ(text, "bcast 16 1000 chain 8192;allgather 16 20 ring;allgather 16 21 native");
    const Choices choices = choices_of(text.c_str());
    for (const Rule& rule : rules)
        EXPECT_EQ(choices.find(rule.op, 16, rule.from_bytes), rule.algorithm);
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
    testing::Values(Wrong{"bcast 16 65536", "rule 'bcast 16 65536': expected OPERATION"},
                    Wrong{"scan 16 1 ring", "the operation is none of"},
                    Wrong{"bcast 1 1 native", "number of ranks"},
                    Wrong{"bcast 99999999 1 native", "number of ranks"},
                    Wrong{"bcast x 1 native", "number of ranks"},
                    Wrong{"bcast 16 -1 native", "BYTES"},
                    Wrong{"bcast 16 18446744073709551615 native", "BYTES"},
                    Wrong{"bcast 16 1 ring", "no such algorithm"},
                    Wrong{"allgather 16 1 chain 4096", "no such algorithm"},
                    Wrong{"allgather 16 1 faster", "no such algorithm"},
                    Wrong{"bcast 16 1 chain", "needs SEGMENT"},
                    Wrong{"bcast 16 1 chain 4096 1", "needs SEGMENT"},
                    Wrong{"bcast 16 1 chain 255", "SEGMENT is not"},
                    Wrong{"bcast 16 1 chain 1073741825", "SEGMENT is not"},
                    Wrong{"allgather 16 1 ring 4", "nothing may stand behind"},
                    Wrong{"bcast 16 1 native; bcast 16 1 chain 4096", "two rules for bcast 16 1"}));

}  // namespace
}  // namespace commmap::inside
