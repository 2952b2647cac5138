// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/priority_matrix.hpp"

#include <gtest/gtest.h>

#include "core/peers/matrices.hpp"

namespace commmap {
namespace {

constexpr std::uint32_t bucket_16k = 5, bucket_64k = 6;

/// Makes a profile of three ranks with these messages in each phase.
Profile profile_of(const std::vector<std::vector<std::vector<TrafficCell>>>& phases) {
    Profile profile;
    profile.ranks.resize(3);
    for (const auto& rows : phases) profile.phases.emplace_back().sent = TrafficMatrix(rows);
    return profile;
}

std::vector<Priority> row_of(const PriorityRows& rows, RankId rank) {
    const std::span<const Priority> row = rows.of(rank);
    return {row.begin(), row.end()};
}

TEST(PriorityMatrix, CountsSmallMessagesToOthers) {
    // Rank 0 sends to itself, to 1 in two small sizes and a large one, to 2 in a large one.
    const Profile profile = profile_of({{{{0, 0, 9, 9},
                                          {1, 0, 3, 3},
                                          {1, bucket_16k, 4, 40000},
                                          {1, bucket_64k, 5, 100000},
                                          {2, bucket_64k, 7, 140000}},
                                         {},
                                         {{0, 0, 1, 1}}}});

    const auto matrix = priority_matrix(profile, default_small_bytes);

    ASSERT_TRUE(matrix) << matrix.error().message;
    ASSERT_EQ(matrix.value().phases.size(), 1u);
    const PriorityRows& rows = matrix.value().phases[0];
    EXPECT_EQ(row_of(rows, 0), (std::vector<Priority>{{1, 7}}));
    EXPECT_EQ(row_of(rows, 1), std::vector<Priority>{});
    EXPECT_EQ(row_of(rows, 2), (std::vector<Priority>{{0, 1}}));
    EXPECT_EQ(matrix.value().small_messages, 8u);
    EXPECT_EQ(matrix.value().all_messages, 20u);
    EXPECT_EQ(priority_matrix(profile, 65536).value().small_messages, 20u);
}

TEST(PriorityMatrix, OnePhaseStandsForTheWholeRun) {
    const Profile profile = profile_of({{{{1, 0, 3, 3}}, {}, {}}, {{{2, 0, 5, 5}}, {}, {}}});

    const auto second = priority_matrix(profile, 16, 1);

    ASSERT_TRUE(second);
    ASSERT_EQ(second.value().phases.size(), 1u);
    EXPECT_EQ(row_of(second.value().phases[0], 0), (std::vector<Priority>{{2, 5}}));
    EXPECT_EQ(second.value().all_messages, 5u);
}

TEST(PriorityMatrix, RefusesMoreMessagesThanItCanCount) {
    const Profile most = profile_of({{{{1, 0, UINT64_MAX - 1, 0}}, {{0, 0, 1, 0}}, {}}});
    const Profile more = profile_of(
        {{{{1, 0, UINT64_MAX - 1, 0}}, {{0, 0, 1, 0}}, {}}, {{{1, bucket_64k, 1, 0}}, {}, {}}});

    EXPECT_EQ(priority_matrix(most, 16).value().small_messages, UINT64_MAX);
    ASSERT_FALSE(priority_matrix(more, 16));
    EXPECT_EQ(priority_matrix(more, 16).error().code, Errc::out_of_range);
}

TEST(PriorityMatrix, OnlyLimitsOfBucketsTellSizesApart) {
    EXPECT_EQ(small_limit_bytes(16).value(), 16u);
    EXPECT_EQ(small_limit_bytes(63).value(), 16u);
    EXPECT_EQ(small_limit_bytes(12288).value(), 4096u);
    EXPECT_EQ(small_limit_bytes(default_small_bytes).value(), default_small_bytes);
    EXPECT_EQ(small_limit_bytes(UINT64_MAX).value(), std::uint64_t{64} << 20);
    ASSERT_FALSE(small_limit_bytes(15));
    EXPECT_EQ(small_limit_bytes(15).error().message,
              "a profile cannot tell messages of at most 15 B from longer ones: 16 B is the least");
}

TEST(PriorityMatrix, AddsUpPhases) {
    const PriorityMatrix matrix = matrix_of({{{{1, 3}, {2, 1}}, {}, {}}, {{{2, 5}}, {{0, 2}}, {}}});

    const PriorityRows whole = whole_run(matrix);

    ASSERT_EQ(whole.num_ranks(), 3u);
    EXPECT_EQ(row_of(whole, 0), (std::vector<Priority>{{1, 3}, {2, 6}}));
    EXPECT_EQ(row_of(whole, 1), (std::vector<Priority>{{0, 2}}));
    EXPECT_EQ(row_of(whole, 2), std::vector<Priority>{});
}

TEST(PriorityMatrix, HasTheSameMessagesByReceiver) {
    const PriorityMatrix matrix = matrix_of({{{{2, 3}}, {{0, 4}, {2, 1}}, {}}});

    const PriorityMatrix received = by_receiver(matrix);

    EXPECT_EQ(row_of(received.phases[0], 0), (std::vector<Priority>{{1, 4}}));
    EXPECT_EQ(row_of(received.phases[0], 1), std::vector<Priority>{});
    EXPECT_EQ(row_of(received.phases[0], 2), (std::vector<Priority>{{0, 3}, {1, 1}}));
    EXPECT_EQ(received.small_messages, 8u);
}

TEST(PriorityMatrix, TurnedTwiceIsTheSame) {
    std::mt19937 random(5);
    for (int round = 0; round < 20; ++round) {
        const PriorityMatrix matrix = random_matrix(1 + random() % 20, 2, 0.3, 50, random);

        EXPECT_TRUE(by_receiver(by_receiver(matrix)).phases == matrix.phases);
    }
}

}  // namespace
}  // namespace commmap
