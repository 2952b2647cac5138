// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Messages between two ranks: each cell of a recorded profile has the sum worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pmix_hooks/recorder_fixture.hpp"

namespace commmap {
namespace {

using testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Languages, RecorderByLanguage, testing::ValuesIn(languages),
                         language_alone);
INSTANTIATE_TEST_SUITE_P(Ranks, RecorderOnRanks,
                         testing::Combine(testing::ValuesIn(languages), testing::Values(1, 2, 4)),
                         language_and_ranks);

TEST_P(RecorderOnRanks, CountsEveryKindOfSend) {
    const Outcome outcome = record(n, program + " sends");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    const Profile recorded = as_one_phase(n);
    ASSERT_EQ(recorded.num_ranks(), static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r) {
        const auto right = static_cast<RankId>((r + 1) % n);
        const Cells expected = {
            {{right, 0}, {5, 0 + 16 + 3 * 10}},  // Send, Bsend, Send_init
            {{right, 1},
             {7, 17 + 64 + 20 + 30 + 48 + 40 + 50}},  // Ssend, Rsend, Bsend_init, Rsend_init,
                                                      // vector, Sendrecv, Sendrecv_replace
            {{right, 2}, {5, 65 + 256 + 3 * 100}},    // Isend, Ibsend, Ssend_init
            {{right, 3}, {2, 257 + 1024}},            // Issend, Irsend
        };
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
    expect_collective(recorded, CollectiveOp::barrier, no_id, 1, 0, false, ranks_below(n));
    EXPECT_EQ(recorded.phases[0].collectives.size(), 1u);
}

TEST_P(RecorderByLanguage, TranslatesCommunicators) {
    const Outcome outcome = record(4, GetParam() + std::string(" communicators"));

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(4);
    std::vector<Cells> expected(4);
    add(expected[3], 2, 8);  // reversed: 0 -> 1
    for (const int r : {0, 1}) add(expected[static_cast<std::size_t>(r)], r + 2, 4, 10);
    for (const int r : {0, 2}) add(expected[static_cast<std::size_t>(r)], r + 1, 4, 10);
    for (int r = 0; r < 4; ++r) {
        Cells& cells = expected[static_cast<std::size_t>(r)];
        add(cells, r ^ 1, 70);  // the same index in the other group
        for (const int other : {0, 1}) add(cells, 2 * other + 1 - (r & 1), 300);
        if (r == 3)
            for (const int other : {0, 2}) add(cells, other, 1100);
    }
    for (std::size_t r = 0; r < 4; ++r)
        EXPECT_EQ(cells_of(recorded, r), expected[r]) << "rank " << r;

    // two communicators of the same members are one; rank 1 of the reversed order is world rank 2
    expect_collective(recorded, CollectiveOp::bcast, 2, 2, 150, false, {3, 2, 1, 0});
    // the intercommunicator: even group first, for it has rank 0
    expect_collective(recorded, CollectiveOp::alltoall, no_id, 1, 300, true, {0, 2, 1, 3});
    expect_collective(recorded, CollectiveOp::bcast, 3, 1, 1100, true, {0, 2, 1, 3});
    EXPECT_EQ(recorded.communicators.size(), 2u);
    EXPECT_EQ(recorded.phases[0].collectives.size(), 3u);
}

TEST_F(RecorderTest, KnowsCommunicatorsThatComeAndGo) {
    const int n = 3;

    const Outcome outcome = record(n, "traffic passing");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    for (int r = 0; r < n; ++r) {
        Cells expected;
        add(expected, (r + 1) % n, 1, 4 * 300);
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
}

TEST_P(RecorderOnRanks, CountsOneSidedMessagesBothWays) {
    const Outcome outcome = record(n, program + " one_sided");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    for (int r = 0; r < n; ++r) {
        const int right = (r + 1) % n;
        const int left = (r + n - 1) % n;
        Cells expected;
        // Put, Accumulate, Rput, Raccumulate, Get_accumulate, Fetch_and_op, Compare_and_swap
        for (const int bytes : {10, 32, 100, 8, 12, 4, 8}) add(expected, right, bytes);
        // what the left one fetched: Get, Rget, Get_accumulate, Rget_accumulate, Fetch_and_op,
        // Compare_and_swap
        for (const int bytes : {20, 300, 12, 200, 4, 4}) add(expected, left, bytes);
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
}

TEST_F(RecorderTest, LosesNothingWhenThreadsSend) {
    for (const int n : {1, 2}) {
        const Outcome outcome = record(n, "traffic threads");

        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const Profile recorded = as_one_phase(n);
        for (int r = 0; r < n; ++r) {
            Cells expected;
            add(expected, r, 1, 4 * 20000);
            add(expected, (r + 1) % n, 1, 4 * 50);
            EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected)
                << "rank " << r << " of " << n;
        }
    }
}

}  // namespace
}  // namespace commmap
