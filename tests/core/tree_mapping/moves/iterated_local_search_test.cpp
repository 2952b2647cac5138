// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/moves/iterated_local_search.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace commmap {
namespace {

using Found = CostedSolution<char, int>;

/// The solutions that next() returns in turn, and the arguments with which it was called.
struct Script {
    std::vector<std::optional<Found>> finds;
    std::vector<char> from = {};
    std::vector<bool> anew = {};

    Found search(Found start, const KickRules& rules) {
        return iterated_local_search(
            start, rules, std::less<>(), [&] { return from.size() < finds.size(); },
            [&](char current, bool starts_anew) {
                from.push_back(current);
                anew.push_back(starts_anew);
                return finds[from.size() - 1];
            });
    }
};

TEST(IteratedLocalSearch, GoesOnFromWhatIsCheaperAndReturnsTheCheapest) {
    Script script{{Found{'b', 5}, Found{'c', 7}, Found{'d', 3}, Found{'e', 4}}};

    const Found best = script.search({'a', 6}, {});

    EXPECT_EQ(best.solution, 'd');
    EXPECT_EQ(best.cost, 3);
    EXPECT_EQ(script.from, (std::vector<char>{'a', 'b', 'b', 'd'}));
}

TEST(IteratedLocalSearch, StartsAnewAfterKicksInVainAndKeepsTheBest) {
    Script script{{Found{'b', 6}, std::nullopt, Found{'c', 9}, Found{'d', 8}}};

    const Found best = script.search({'a', 6}, {.restart_after = 2});

    EXPECT_EQ(best.solution, 'a');
    EXPECT_EQ(script.anew, (std::vector<bool>{false, false, true, false}));
    EXPECT_EQ(script.from, (std::vector<char>{'a', 'a', 'a', 'c'}));
}

TEST(IteratedLocalSearch, EqualSolutionsAreTakenOnlyWhereTheRulesSaySo) {
    const std::vector<std::optional<Found>> finds{Found{'b', 6}, Found{'c', 6}, Found{'d', 6}};
    Script with{finds};
    Script without{finds};

    EXPECT_EQ(with.search({'a', 6}, {.restart_after = 2, .takes_equal = true}).solution, 'a');
    EXPECT_EQ(without.search({'a', 6}, {}).solution, 'a');

    EXPECT_EQ(with.from, (std::vector<char>{'a', 'b', 'c'}));
    EXPECT_EQ(with.anew, (std::vector<bool>{false, false, true}));
    EXPECT_EQ(without.from, (std::vector<char>{'a', 'a', 'a'}));
}

TEST(IteratedLocalSearch, EndsAfterEnoughKicksWithoutANewBest) {
    Script script{{Found{'b', 5}, Found{'c', 9}, std::nullopt, Found{'d', 1}}};

    EXPECT_EQ(script.search({'a', 6}, {.end_after = 2}).solution, 'b');

    EXPECT_EQ(script.from.size(), 3U);
}

}  // namespace
}  // namespace commmap
