// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/reversal/rank_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace commmap {
namespace {

/// The slow twin: every choice of which of n + m places are the second list's.
double chance_by_counting(std::uint64_t pairs, std::size_t n, std::size_t m) {
    std::vector<int> is_second(n + m, 0);
    std::fill(is_second.end() - static_cast<std::ptrdiff_t>(m), is_second.end(), 1);
    double all = 0;
    double as_many = 0;
    do {
        std::uint64_t found = 0;
        std::uint64_t first = 0;
        for (const int second : is_second) {
            first += second == 0 ? 1 : 0;
            found += second == 1 ? first : 0;
        }
        ++all;
        as_many += found >= pairs ? 1 : 0;
    } while (std::next_permutation(is_second.begin(), is_second.end()));
    return as_many / all;
}

TEST(RankSum, ChanceIsThatOfCounting) {
    for (std::size_t n = 1; n <= 6; ++n)
        for (std::size_t m = 1; m <= 6; ++m)
            for (std::uint64_t pairs = 0; pairs <= n * m; ++pairs)
                EXPECT_NEAR(chance_of_pairs(pairs, n, m), chance_by_counting(pairs, n, m), 1e-12)
                    << n << ' ' << m << ' ' << pairs;
    EXPECT_NEAR(chance_of_pairs(49, 7, 7), 1.0 / 3432, 1e-12);
    EXPECT_NEAR(chance_of_pairs(291, 3, 97), 1.0 / 161700, 1e-12);
    EXPECT_EQ(chance_of_pairs(0, 0, 5), 1.0);
    EXPECT_EQ(chance_of_pairs(50, 7, 7), 0.0);
}

TEST(RankSum, ChanceOfManyGoesOnWhereTheExactOneEnds) {
    // 20 * 20 is exact, 20 * 21 is not
    for (const double part : {0.5, 0.6, 0.7, 0.75, 0.8}) {
        const double exact = chance_of_pairs(static_cast<std::uint64_t>(400 * part), 20, 20);
        const double normal = chance_of_pairs(static_cast<std::uint64_t>(420 * part), 20, 21);
        EXPECT_NEAR(std::log10(normal), std::log10(exact), 0.15) << part;
    }
}

TEST(RankSum, PairsAreThoseOfComparingEach) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> first(random() % 20);
        std::vector<double> second(random() % 20);
        for (double& value : first) value = static_cast<double>(random() % 10);
        for (double& value : second) value = static_cast<double>(random() % 10);
        std::uint64_t pairs = 0;
        std::vector<double> differences;
        for (const double a : first) {
            for (const double b : second) {
                pairs += b > a ? 1 : 0;
                differences.push_back(b - a);
            }
        }
        std::sort(differences.begin(), differences.end());
        const std::size_t count = differences.size();
        const double middle =
            count == 0 ? 0.0 : 0.5 * (differences[(count - 1) / 2] + differences[count / 2]);

        EXPECT_EQ(pairs_above(first, second), pairs);
        EXPECT_DOUBLE_EQ(middle_difference(first, second), middle);
        EXPECT_DOUBLE_EQ(middle_of(differences), middle);
    }
}

}  // namespace
}  // namespace commmap
