// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/comm_graph.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(CommGraph, AddsUpEqualPairsInOneBucketAndKeepsBucketsApart) {
    // 10 and 16 bytes are in the first bucket (<= 16), 17 in the second.
    const CommGraph graph(2, {{0, 1, 1, 17}, {0, 1, 2, 20}, {0, 1, 1, 16}});

    ASSERT_EQ(graph.sent_by(0).size(), 2U);
    EXPECT_EQ(graph.sent_by(0)[0].count, 3U);
    EXPECT_EQ(graph.sent_by(0)[0].bytes, 36U);
    EXPECT_DOUBLE_EQ(graph.sent_by(0)[0].mean_length_bytes(), 12.0);
    EXPECT_EQ(graph.sent_by(0)[1].count, 1U);
    EXPECT_EQ(graph.sent_by(0)[1].bytes, 17U);
    EXPECT_TRUE(graph.sent_by(1).empty());
    EXPECT_EQ(graph.count_sent_by(0), 4.0);
    EXPECT_EQ(graph.count_sent_by(1), 0.0);
}

TEST(CommGraph, MeanJustAboveALimitIsInTheNextBucket) {
    // 33 bytes in 2 messages: mean 16.5, above the 16 of the first bucket.
    const CommGraph graph(2, {{0, 1, 2, 33}, {0, 1, 1, 16}});

    EXPECT_EQ(graph.sent_by(0).size(), 2U);
}

TEST(CommGraph, SortsByPeerThenMeanLength) {
    const CommGraph graph(3, {{0, 2, 1, 5}, {0, 1, 1, 1000}, {0, 1, 1, 4}, {2, 1, 1, 7}});

    const auto sent = graph.sent_by(0);
    ASSERT_EQ(sent.size(), 3U);
    EXPECT_EQ(sent[0].peer, 1U);
    EXPECT_EQ(sent[0].bytes, 4U);
    EXPECT_EQ(sent[1].bytes, 1000U);
    EXPECT_EQ(sent[2].peer, 2U);
    const auto received = graph.received_by(1);
    ASSERT_EQ(received.size(), 3U);
    EXPECT_EQ(received[0].peer, 0U);
    EXPECT_EQ(received[0].bytes, 4U);
    EXPECT_EQ(received[1].bytes, 1000U);
    EXPECT_EQ(received[2].peer, 2U);
}

TEST(CommGraph, DropsSelfMessagesAndZeroCounts) {
    const CommGraph graph(2, {{0, 0, 5, 500}, {0, 1, 0, 0}, {1, 0, 3, 0}});

    EXPECT_EQ(graph.num_entries(), 1U);
    EXPECT_EQ(graph.received_by(0)[0].count, 3U);
    EXPECT_EQ(graph.total_bytes(), 0U);
    EXPECT_EQ(graph.total_count(), 3U);
}

TEST(CommGraph, KeepsRanksWithoutMessages) {
    const CommGraph graph(4, {{1, 2, 1, 8}});

    EXPECT_EQ(graph.num_ranks(), 4U);
    EXPECT_TRUE(graph.sent_by(3).empty());
    EXPECT_TRUE(graph.received_by(0).empty());
    EXPECT_EQ(CommGraph().num_ranks(), 0U);
    EXPECT_EQ(CommGraph(0, {}).num_ranks(), 0U);
}

TEST(CommGraph, TotalsAreThoseOfTheMessages) {
    const CommGraph graph(3, {{0, 1, 2, 20}, {1, 2, 3, 3000}, {2, 0, 1, 1}});

    EXPECT_EQ(graph.total_bytes(), 3021U);
    EXPECT_EQ(graph.total_count(), 6U);
}

#ifndef NDEBUG
TEST(CommGraphDeathTest, ARankThatDoesNotExistIsAProgrammingError) {
    EXPECT_DEATH(CommGraph(2, {{0, 2, 1, 1}}), "rank that does not exist");
}
#endif

}  // namespace
}  // namespace commmap
