// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/machine/group_filling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace commmap {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// @param arities  from the leaf level upwards
MachineTree tree(const Numbers& arities, const std::vector<PuId>& available = {}) {
    std::vector<std::uint64_t> distances(arities.size());
    std::iota(distances.begin(), distances.end(), std::uint64_t{1});
    return std::move(MachineTree::make(arities, distances, available)).value();
}

/// Nodes of 4, 2 and 4 PUs: two PUs of the middle one are taken.
MachineTree uneven_nodes() { return tree({4, 3}, {0, 1, 2, 3, 4, 5, 8, 9, 10, 11}); }

std::vector<RankId> in_order(std::size_t num_ranks) {
    std::vector<RankId> ranks(num_ranks);
    std::iota(ranks.begin(), ranks.end(), RankId{0});
    return ranks;
}

void leave_as_it_is(std::span<RankId> /*ranks*/, std::size_t /*target*/, const Division&) {}

TEST(GroupFilling, AsFewGroupsAsHoldThem) {
    const MachineTree machine = uneven_nodes();

    EXPECT_EQ(fill_groups(machine, 7)[1], (Numbers{4, 0, 3}));
    EXPECT_EQ(fill_groups(machine, 9)[1], (Numbers{4, 1, 4}));
}

/// Two nodes of two bins of two PUs: the root, its nodes, their bins.
TEST(GroupFilling, EqualGroupsAreFilledFromTheLeft) {
    EXPECT_EQ(fill_groups(tree({2, 2, 2}), 5), (std::vector<Numbers>{{5}, {4, 1}, {2, 2, 1, 0}}));
    EXPECT_EQ(fill_groups(tree({2, 2, 2}), 0), (std::vector<Numbers>{{0}, {0, 0}, {0, 0, 0, 0}}));
}

TEST(FillByHalves, RanksKeepTheirOrderWhereNothingIsChosen) {
    Threads threads;

    const auto bins =
        fill_by_halves(uneven_nodes(), {6, 5, 4, 3, 2, 1, 0}, {leave_as_it_is}, threads);

    // The first four of the list fill the first node. Nobody is on the second one.
    EXPECT_EQ(bins, (std::vector<GroupId>{2, 2, 2, 0, 0, 0, 0}));
}

/// Four bins of two: 8 ranks are halved 4 | 4, then each half 2 | 2.
TEST(FillByHalves, TheChosenHalfGoesToTheFirstGroups) {
    Threads threads;
    std::vector<std::pair<std::size_t, std::size_t>> asked;  // number of ranks, and target
    const auto even_ranks_first = [&](std::span<RankId> ranks, std::size_t target,
                                      const Division&) {
        asked.emplace_back(ranks.size(), target);
        std::stable_partition(ranks.begin(), ranks.end(),
                              [](RankId rank) { return rank % 2 == 0; });
    };

    const auto bins = fill_by_halves(tree({2, 4}), in_order(8), {even_ranks_first}, threads);

    EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, std::size_t>>{{8, 4}, {4, 2}, {4, 2}}));
    EXPECT_EQ(bins, (std::vector<GroupId>{0, 2, 0, 2, 1, 3, 1, 3}));
}

/// Three nodes have two bins of two PUs. The first halves are one node, and two nodes that are
/// halved once more.
TEST(FillByHalves, ADivisionSaysWhatBecomesOfItsHalves) {
    Threads threads;
    std::vector<Division> divisions;
    const auto note = [&](std::span<RankId>, std::size_t, const Division& division) {
        divisions.push_back(division);
    };

    static_cast<void>(fill_by_halves(tree({2, 2, 3}), in_order(12), {note}, threads));

    ASSERT_EQ(divisions.size(), 5U);  // two among the nodes, one in each of them
    EXPECT_EQ(divisions[0].depth, 1U);
    EXPECT_FALSE(divisions[0].halves[0].halved);
    EXPECT_TRUE(divisions[0].halves[0].goes_on);
    EXPECT_TRUE(divisions[0].halves[1].halved);
    EXPECT_FALSE(divisions[0].halves[1].goes_on);
    EXPECT_EQ(divisions[2].depth, 2U);
    EXPECT_FALSE(divisions[2].halves[0].goes_on) << "it is a bin";
    std::set<std::uint64_t> numbers;
    for (const Division& division : divisions) numbers.insert(division.number);
    EXPECT_EQ(numbers.size(), divisions.size());
}

/// improve() gets the ranks of all used children in a row, and its changes take effect.
TEST(FillByHalves, ChildrenExchangeRanksAfterHalving) {
    Threads threads;
    const auto swap_ends = [](std::span<RankId> ranks, std::span<const std::uint32_t> first,
                              const Division&) {
        EXPECT_EQ(Numbers(first.begin(), first.end()), (Numbers{0, 4, 7}));
        std::swap(ranks.front(), ranks.back());
    };

    const auto bins =
        fill_by_halves(uneven_nodes(), in_order(7), {leave_as_it_is, swap_ends}, threads);

    EXPECT_EQ(bins, (std::vector<GroupId>{2, 0, 0, 0, 2, 2, 0}));
}

}  // namespace
}  // namespace commmap
