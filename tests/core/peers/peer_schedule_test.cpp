// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/peer_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/peers/matrices.hpp"

namespace commmap {
namespace {

std::vector<RankId> peers_of_rank(const PeerSchedule& schedule, std::size_t phase, RankId rank,
                                  std::size_t most) {
    std::vector<RankId> peers;
    for (const Priority& entry : schedule.peers(phase, rank, most)) peers.push_back(entry.peer);
    return peers;
}

TEST(PeerSchedule, TakesTheHighestPrioritiesOfEachPhase) {
    // As in the paper's Fig. 2: process i = 0, maxRDMA = 2, and other priorities in each phase.
    const PriorityMatrix matrix = matrix_of({{{{1, 10}, {2, 30}, {3, 20}, {4, 5}}, {}, {}, {}, {}},
                                             {{{1, 40}, {2, 30}, {3, 5}, {4, 10}}, {}, {}, {}, {}},
                                             {{{3, 7}, {4, 8}}, {}, {}, {}, {}}});

    const PeerSchedule schedule(matrix);

    EXPECT_EQ(peers_of_rank(schedule, 0, 0, 2), (std::vector<RankId>{2, 3}));
    EXPECT_EQ(peers_of_rank(schedule, 1, 0, 2), (std::vector<RankId>{1, 2}));
    EXPECT_EQ(peers_of_rank(schedule, 2, 0, 2), (std::vector<RankId>{4, 3}));
    EXPECT_TRUE(schedule.connects(0, {0, 3}, 2));
    EXPECT_FALSE(schedule.connects(0, {0, 3}, 1));
    EXPECT_FALSE(schedule.connects(0, {3, 0}, 2))
        << "the other direction has a schedule of its own";
}

TEST(PeerSchedule, LowerRanksWinTies) {
    const PeerSchedule schedule(matrix_of({{{{1, 5}, {2, 9}, {3, 5}, {4, 5}}, {}, {}, {}, {}}}));

    EXPECT_EQ(peers_of_rank(schedule, 0, 0, 3), (std::vector<RankId>{2, 1, 3}));
}

TEST(PeerSchedule, ARankWithFewPeersHasFewConnections) {
    const PeerSchedule schedule(matrix_of({{{{1, 1}}, {}, {}}}));

    EXPECT_EQ(peers_of_rank(schedule, 0, 0, most_connections), (std::vector<RankId>{1}));
    EXPECT_EQ(peers_of_rank(schedule, 0, 2, most_connections), std::vector<RankId>{});
}

TEST(PeerSchedule, AConnectionCountsForItsSenderAlone) {
    // Ranks 1, 2 and 3 all send to rank 0.
    const PeerSchedule schedule(
        matrix_of({{{{1, 9}, {2, 8}, {3, 7}}, {{0, 4}}, {{0, 5}}, {{0, 6}, {1, 1}}}}));

    const PhaseConnections one = connections_in(schedule, 0, 1);
    const PhaseConnections two = connections_in(schedule, 0, 2);

    EXPECT_EQ(one.connections, 4u);
    EXPECT_EQ(one.messages, 9u + 4 + 5 + 6);
    EXPECT_EQ(one.most_of_a_rank, 1u);
    EXPECT_EQ(one.most_into_a_rank, 3u);
    EXPECT_EQ(two.connections, 6u);
    EXPECT_EQ(two.most_of_a_rank, 2u);
}

TEST(PeerSchedule, AgreesWithTheSlowVersionOnRandomCases) {
    std::mt19937 random(29);
    for (int round = 0; round < 60; ++round) {
        const PriorityMatrix matrix = random_matrix(2 + random() % 30, 2, 0.7, 6, random);
        const PeerSchedule schedule(matrix);
        const std::size_t most = 1 + random() % most_connections;
        for (std::size_t phase = 0; phase < 2; ++phase)
            for (RankId rank = 0; rank < matrix.num_ranks; ++rank) {
                // Takes the best that is left, one by one.
                const std::span<const Priority> row = matrix.phases[phase].of(rank);
                std::vector<Priority> left(row.begin(), row.end());
                std::vector<RankId> expected;
                while (!left.empty() && expected.size() < most) {
                    std::size_t best = 0;
                    for (std::size_t i = 1; i < left.size(); ++i)
                        if (left[i].messages > left[best].messages) best = i;
                    expected.push_back(left[best].peer);
                    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
                }

                EXPECT_EQ(peers_of_rank(schedule, phase, rank, most), expected);
            }
    }
}

}  // namespace
}  // namespace commmap
