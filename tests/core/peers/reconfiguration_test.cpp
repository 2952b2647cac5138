// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/reconfiguration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/peers/matrices.hpp"

namespace commmap {
namespace {

/// As in the paper's Fig. 2: process i = 0, maxRDMA = 2, and other priorities in each phase. Its
/// peers are 2 and 3, then 1 and 2, then 3 and 4; rank 1 always has peer 0.
PeerSchedule figure_2() {
    return PeerSchedule(matrix_of({{{{1, 10}, {2, 30}, {3, 20}, {4, 5}}, {{0, 1}}, {}, {}, {}},
                                   {{{1, 40}, {2, 30}, {3, 5}, {4, 10}}, {{0, 1}}, {}, {}, {}},
                                   {{{3, 7}, {4, 8}}, {{0, 1}}, {}, {}, {}}}));
}

TEST(Reconfiguration, ClosesAndMakesWhatDiffers) {
    const PeerSchedule schedule = figure_2();

    const BorderChanges begin = changes_at_border(schedule, std::nullopt, 0, 2);
    const BorderChanges first = changes_at_border(schedule, 0, 1, 2);
    const BorderChanges second = changes_at_border(schedule, 1, 2, 2);

    using List = std::vector<Connection>;
    EXPECT_EQ(begin.closed, List{});
    EXPECT_EQ(begin.made, (List{{0, 2}, {0, 3}, {1, 0}}));
    EXPECT_EQ(begin.kept, 0u);
    EXPECT_EQ(first.closed, (List{{0, 3}}));
    EXPECT_EQ(first.made, (List{{0, 1}}));
    EXPECT_EQ(first.kept, 2u);
    EXPECT_EQ(second.closed, (List{{0, 1}, {0, 2}}));
    EXPECT_EQ(second.made, (List{{0, 3}, {0, 4}}));
    EXPECT_EQ(second.kept, 1u);
}

TEST(Reconfiguration, CountsWhatTheRunMakes) {
    const Reconfiguration once = reconfiguration(figure_2(), {{0, 1, 2}, {1, 1, 1}, true}, 2);

    ASSERT_EQ(once.borders.size(), 3u);
    EXPECT_EQ(once.borders[0].before, std::nullopt);
    EXPECT_EQ(once.borders[2].before, 1u);
    EXPECT_EQ(once.borders[2].closed, 2u);
    EXPECT_EQ(once.borders[1].most_made, 1u);
    EXPECT_EQ(once.borders[1].most_remade, 2u);
    EXPECT_EQ(once.borders[2].most_made, 2u);
    EXPECT_EQ(once.remade, 9u);
    EXPECT_EQ(once.changed, 3u + 1 + 2);
}

TEST(Reconfiguration, FollowsTheOrderOfBegins) {
    const PeerSchedule schedule = figure_2();

    const Reconfiguration turns = reconfiguration(schedule, {{0, 1, 0, 2}, {2, 1, 1}, true}, 2);
    const Reconfiguration unknown = reconfiguration(schedule, {{0, 1, 2}, {7, 1, 1}, false}, 2);

    EXPECT_EQ(turns.remade, 12u);
    EXPECT_EQ(turns.changed, 3u + 1 + 1 + 1);
    EXPECT_EQ(unknown.remade, 7u * 3 + 3 + 3) << "every begin makes the connections of its phase";
    EXPECT_EQ(unknown.changed, 6u);
}

TEST(Reconfiguration, NeverWrapsRound) {
    const Reconfiguration all =
        reconfiguration(figure_2(), {{0, 1, 2}, {UINT64_MAX, UINT64_MAX, 1}, false}, 2);

    EXPECT_EQ(all.remade, UINT64_MAX);
}

using Pairs = std::set<std::pair<RankId, RankId>>;

TEST(Reconfiguration, AgreesWithTheSlowVersionOnRandomCases) {
    std::mt19937 random(43);
    for (int round = 0; round < 40; ++round) {
        const std::size_t num_phases = 1 + random() % 4;
        const PriorityMatrix matrix = random_matrix(2 + random() % 20, num_phases, 0.5, 5, random);
        const PeerSchedule schedule(matrix);
        const std::size_t most = 1 + random() % most_connections;
        PhaseOrder order;
        order.begins.assign(num_phases, 0);
        for (std::size_t i = 0; i < 6; ++i) {
            order.sequence.push_back(i < num_phases ? i : random() % num_phases);
            if (order.sequence.back() >= num_phases) order.sequence.back() = 0;
            ++order.begins[order.sequence.back()];
        }
        std::vector<Pairs> connected(num_phases);
        for (std::size_t phase = 0; phase < num_phases; ++phase)
            for (RankId rank = 0; rank < matrix.num_ranks; ++rank)
                for (RankId peer = 0; peer < matrix.num_ranks; ++peer)
                    if (schedule.connects(phase, {rank, peer}, most))
                        connected[phase].emplace(rank, peer);

        const Reconfiguration all = reconfiguration(schedule, order, most);

        std::uint64_t remade = 0;
        std::uint64_t changed = 0;
        Pairs now;
        for (std::size_t i = 0; i < order.sequence.size(); ++i) {
            const Pairs& next = connected[order.sequence[i]];
            std::uint64_t closed = 0;
            std::map<RankId, std::uint64_t> made_by;
            for (const auto& pair : now) closed += next.contains(pair) ? 0 : 1;
            for (const auto& [rank, peer] : next)
                made_by[rank] += now.contains({rank, peer}) ? 0 : 1;
            std::uint64_t made = 0;
            std::uint64_t most_made = 0;
            for (const auto& [rank, count] : made_by) {
                made += count;
                most_made = std::max(most_made, count);
            }
            EXPECT_EQ(all.borders[i].closed, closed);
            EXPECT_EQ(all.borders[i].made, made);
            EXPECT_EQ(all.borders[i].kept, next.size() - made);
            EXPECT_EQ(all.borders[i].most_made, most_made);
            remade += next.size();
            changed += made;
            now = next;
        }
        EXPECT_EQ(all.remade, remade);
        EXPECT_EQ(all.changed, changed);
        EXPECT_LE(all.changed, all.remade);
    }
}

}  // namespace
}  // namespace commmap
