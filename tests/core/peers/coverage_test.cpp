// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/coverage.hpp"

#include <gtest/gtest.h>

#include "core/peers/first_come.hpp"
#include "core/peers/matrices.hpp"
#include "core/peers/reconfiguration.hpp"

namespace commmap {
namespace {

/// Two phases of rank 0, whose best peers differ.
PriorityMatrix changing() {
    return matrix_of(
        {{{{1, 50}, {2, 30}, {3, 20}}, {}, {}, {}}, {{{1, 1}, {2, 30}, {3, 60}}, {}, {}, {}}});
}

TEST(Coverage, OfPhasesAndOfTheWholeRun) {
    const PriorityMatrix matrix = changing();

    const Coverage phases = coverage_by_phases(PeerSchedule(matrix));
    const Coverage whole = coverage_of_whole_run(matrix);

    EXPECT_EQ(phases.with(1), 50u + 60);
    EXPECT_EQ(phases.with(2), 50u + 30 + 60 + 30);
    EXPECT_EQ(phases.with(3), 191u);
    EXPECT_EQ(phases.with(16), 191u);
    // In the whole run peer 3 has 80 messages, 2 has 60, and 1 has 51.
    EXPECT_EQ(whole.with(1), 80u);
    EXPECT_EQ(whole.with(2), 140u);
    EXPECT_EQ(whole.with(3), 191u);
}

TEST(Coverage, OfAScheduleOfAnotherRun) {
    const PriorityMatrix matrix = changing();
    // The other run prefers peer 2 in its first phase, and peer 3 alone in its second.
    const PeerSchedule other(matrix_of({{{{2, 9}, {1, 1}}, {}, {}, {}}, {{{3, 1}}, {}, {}, {}}}));

    const std::vector<std::optional<std::size_t>> in_order = {0, 1};
    const std::vector<std::optional<std::size_t>> only_second = {std::nullopt, 1};

    const Coverage both = coverage_by_other(matrix, other, in_order);
    const Coverage second = coverage_by_other(matrix, other, only_second);

    EXPECT_EQ(both.with(1), 30u + 60);
    EXPECT_EQ(both.with(2), 30u + 50 + 60);
    EXPECT_EQ(both.with(16), 140u);
    EXPECT_EQ(second.with(1), 60u);
}

TEST(Coverage, OfConnectionsThatARunDoesNotUse) {
    const PriorityMatrix matrix = matrix_of({{{{1, 4}, {3, 5}}, {}, {}, {}}});
    // Nothing goes to peer 2; between its neighbours in the row there is no entry.
    const PeerSchedule other(matrix_of({{{{1, 1}, {2, 9}}, {}, {}, {}}}));

    const Coverage coverage =
        coverage_by_other(matrix, other, std::vector{std::optional(std::size_t{0})});

    EXPECT_EQ(coverage.with(1), 0u);
    EXPECT_EQ(coverage.with(2), 4u);
}

TEST(Coverage, OwnScheduleIsTheOtherOneOfTheSameRun) {
    std::mt19937 random(3);
    const PriorityMatrix matrix = random_matrix(30, 3, 0.8, 20, random);
    const PeerSchedule schedule(matrix);
    const std::vector<std::optional<std::size_t>> same = {0, 1, 2};

    EXPECT_EQ(coverage_by_other(matrix, schedule, same), coverage_by_phases(schedule));
}

TEST(Coverage, SuggestsTheFewestConnectionsThatCarryNearlyAll) {
    Coverage coverage;
    coverage.carried.fill(100);
    coverage.carried[0] = 60;
    coverage.carried[1] = 94;
    coverage.carried[2] = 95;
    EXPECT_EQ(suggested_connections(coverage), 3u);
    coverage.carried[0] = 95;
    EXPECT_EQ(suggested_connections(coverage), 1u);
    EXPECT_EQ(suggested_connections(Coverage{}), 1u);
    coverage.carried.fill(UINT64_MAX);
    coverage.carried[0] = UINT64_MAX / 100 * 94;
    EXPECT_EQ(suggested_connections(coverage), 2u) << "the products do not fit into 64 bits";
}

/// The slow version: looks at every message's pair, and asks whether few enough peers come before.
std::uint64_t slow_by_phases(const PriorityMatrix& matrix, std::size_t most) {
    std::uint64_t carried = 0;
    for (const PriorityRows& rows : matrix.phases)
        for (RankId rank = 0; rank < matrix.num_ranks; ++rank)
            for (const Priority& entry : rows.of(rank)) {
                std::size_t before = 0;
                for (const Priority& other : rows.of(rank))
                    if (other.messages > entry.messages ||
                        (other.messages == entry.messages && other.peer < entry.peer))
                        ++before;
                if (before < most) carried += entry.messages;
            }
    return carried;
}

TEST(Coverage, AgreesWithTheSlowVersionOnRandomCases) {
    std::mt19937 random(31);
    for (int round = 0; round < 40; ++round) {
        const PriorityMatrix matrix = random_matrix(2 + random() % 30, 3, 0.7, 9, random);
        PriorityMatrix whole = matrix;
        whole.phases = {whole_run(matrix)};

        const Coverage phases = coverage_by_phases(PeerSchedule(matrix));
        const Coverage of_whole = coverage_of_whole_run(matrix);

        for (std::size_t most = 1; most <= most_connections; ++most) {
            EXPECT_EQ(phases.with(most), slow_by_phases(matrix, most));
            EXPECT_EQ(of_whole.with(most), slow_by_phases(whole, most));
            EXPECT_GE(phases.with(most), of_whole.with(most));
        }
    }
}

TEST(Coverage, OfAHundredThousandRanks) {
    // Every rank sends to the 30 ranks behind it, 101 messages to the next and one less to each
    // further one; in the second phase to the nearest four alone.
    constexpr RankId num_ranks = 100'000;
    constexpr RankId num_peers = 30;
    constexpr RankId near = 4;
    Profile profile;
    profile.ranks.resize(num_ranks);
    profile.phases.resize(2);
    std::vector<TrafficCell> row;
    for (RankId rank = 0; rank < num_ranks; ++rank)
        for (Phase& phase : profile.phases) {
            row.clear();
            const RankId peers = &phase == &profile.phases[0] ? num_peers : near;
            for (RankId i = 1; i <= peers; ++i)
                row.push_back({(rank + i) % num_ranks, 0, 101 - i, 0});
            std::sort(row.begin(), row.end());
            phase.sent.add_row(row);
        }

    const auto matrix = priority_matrix(profile, default_small_bytes);

    ASSERT_TRUE(matrix);
    const std::size_t pairs = std::size_t{num_ranks} * (num_peers + near);
    EXPECT_EQ(matrix.value().phases[0].num_entries() + matrix.value().phases[1].num_entries(),
              pairs);
    static_assert(sizeof(Priority) == 16, "the header says so");
    const PeerSchedule schedule(matrix.value());
    const std::uint64_t nearest = 100 + 99 + 98 + 97;
    const std::uint64_t next_twelve = 12 * (96 + 85) / 2;
    EXPECT_EQ(coverage_by_phases(schedule).with(4), num_ranks * 2 * nearest);
    EXPECT_EQ(coverage_by_phases(schedule).with(16), num_ranks * (2 * nearest + next_twelve));
    EXPECT_EQ(coverage_of_whole_run(matrix.value()).with(4), num_ranks * 2 * nearest);
    const FirstCome come = first_come(matrix.value());
    EXPECT_EQ(come.interleaved.with(4), num_ranks * (2 * nearest - 4 * default_threshold));
    EXPECT_EQ(first_come(by_receiver(matrix.value())).interleaved, come.interleaved);
    const Reconfiguration all = reconfiguration(schedule, {{0, 1}, {1, 1}, true}, 16);
    EXPECT_EQ(all.remade, num_ranks * (std::uint64_t{16} + near));
    EXPECT_EQ(all.changed, std::uint64_t{num_ranks} * 16);
}

}  // namespace
}  // namespace commmap
