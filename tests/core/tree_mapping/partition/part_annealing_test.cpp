// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/part_annealing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/tree_mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::cut_of;
using tests::graph_of;
using tests::Pairs;
using tests::random_graph;
using Case = tests::PartsCase;

/// Deals vertices at random to parts of these sizes.
Case dealt(CsrGraph graph, std::vector<std::uint32_t> targets, Random& random) {
    Case c{std::move(graph), std::move(targets), {}};
    for (std::uint32_t part = 0; part < c.targets.size(); ++part)
        c.parts.insert(c.parts.end(), c.targets[part], part);
    shuffle(std::span(c.parts), random);
    return c;
}
Case dealt(CsrGraph graph, std::uint32_t num_parts, Random& random) {
    std::vector<std::uint32_t> targets(num_parts, graph.num_vertices() / num_parts);
    for (std::uint32_t part = 0; part < graph.num_vertices() % num_parts; ++part) ++targets[part];
    return dealt(std::move(graph), std::move(targets), random);
}

std::vector<std::int64_t> excess_of(const Case& c) {
    std::vector<std::int64_t> excess(c.targets.size(), 0);
    for (const std::uint32_t part : c.parts) ++excess[part];
    for (std::size_t part = 0; part < excess.size(); ++part) excess[part] -= c.targets[part];
    return excess;
}

/// Returns a line of n vertices whose halves are the parts, but one vertex of each part is swapped.
Case line(std::uint32_t n) {
    Pairs pairs;
    for (std::uint32_t v = 0; v + 1 < n; ++v) pairs[{v, v + 1}] = 1;
    Case c{CsrGraph(graph_of(n, pairs)), {n / 2, n / 2}, Parts(n, 0)};
    std::fill(c.parts.begin() + n / 2, c.parts.end(), 1U);
    std::swap(c.parts[n / 4], c.parts[3 * n / 4]);
    return c;
}

constexpr PartAnnealing::Effort effort{.cycles = 4, .with_good_cuts = 4, .tries = 8};

TEST(PartAnnealing, NeverCutsMoreAndMostlyMuchLess) {
    Random random(1);
    PartAnnealing annealing;
    double before = 0.0;
    double after = 0.0;
    for (int round = 0; round < 100; ++round) {
        const auto n = static_cast<std::uint32_t>(10 + random.below(300));
        const auto num_parts = static_cast<std::uint32_t>(2 + random.below(9));
        Case c = dealt(CsrGraph(random_graph(random, n, 20)), num_parts, random);
        const double cut = cut_of(c.graph, c.parts);

        annealing.lower_cut({c.graph, c.targets}, effort, random, c.parts);

        ASSERT_EQ(c.parts.size(), n);
        for (const std::uint32_t part : c.parts) ASSERT_LT(part, num_parts);
        const double once = cut_of(c.graph, c.parts);
        EXPECT_LE(once, cut);
        before += cut;
        after += once;

        annealing.lower_cut({c.graph, c.targets}, effort, random, c.parts);
        EXPECT_LE(cut_of(c.graph, c.parts), once) << "hot cycles make what is good worse";
    }
    EXPECT_LT(after, 0.75 * before);
}

TEST(PartAnnealing, SizesStayNearTheirTargets) {
    Random random(2);
    PartAnnealing annealing;
    for (int round = 0; round < 20; ++round) {
        Case c = dealt(CsrGraph(random_graph(random, 1000, 20)), 8, random);

        annealing.lower_cut({c.graph, c.targets}, effort, random, c.parts);

        for (const std::int64_t excess : excess_of(c)) EXPECT_LE(std::abs(excess), 6);
    }
}

TEST(PartAnnealing, ASmallPartStaysSmall) {
    Random random(8);
    for (int round = 0; round < 20; ++round) {
        Case c = dealt(CsrGraph(random_graph(random, 403, 20)), {200, 200, 3}, random);
        PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, c.parts);
        EXPECT_LE(excess_of(c)[2], 3);
    }
}

TEST(PartAnnealing, GoodCutsGetCyclesOfTheirOwn) {
    Random random(9);
    Case c = line(400);
    PartAnnealing::Effort few = effort;
    few.with_good_cuts = 0;
    EXPECT_FALSE(PartAnnealing().lower_cut({c.graph, c.targets}, few, random, c.parts));
    EXPECT_EQ(c.parts, line(400).parts);

    few.with_good_cuts = 1;
    EXPECT_TRUE(PartAnnealing().lower_cut({c.graph, c.targets}, few, random, c.parts));
    EXPECT_LE(cut_of(c.graph, c.parts), 3.0) << "5 before, 1 is the least";

    Case random_parts = dealt(CsrGraph(random_graph(random, 400, 20)), 4, random);
    few.with_good_cuts = 0;
    EXPECT_TRUE(PartAnnealing().lower_cut({random_parts.graph, random_parts.targets}, few, random,
                                          random_parts.parts))
        << "they cut much";
}

TEST(PartAnnealing, WeightsThatFloatsCannotAddUp) {
    // In a float sum with 2^28, an edge of 8 is lost. The cut must not grow even so.
    Pairs pairs;
    for (std::uint32_t v = 0; v < 200; v += 2) {
        pairs[{v, v + 1}] = std::uint64_t{1} << 28U;
        for (const std::uint32_t step : {2U, 6U, 14U}) {
            const std::uint32_t other = (v + step) % 200;
            pairs[std::minmax(v, other)] = 8;
        }
    }
    Random random(10);
    Case c{CsrGraph(graph_of(200, pairs)), {100, 100}, Parts(200, 0)};
    std::fill(c.parts.begin() + 100, c.parts.end(), 1U);
    const double cut = cut_of(c.graph, c.parts);
    ASSERT_GT(cut, 0.0);
    PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, c.parts);
    EXPECT_LE(cut_of(c.graph, c.parts), cut);
}

TEST(PartAnnealing, MovesGroupsThatHeavyEdgesHoldTogether) {
    // The two halves have 40 groups of four vertices each, and no edge between them. Half of the
    // groups begin in the wrong part. To move a single vertex would cut three heavy edges, for
    // which the temperature is far too low.
    Pairs pairs;
    const std::uint32_t groups = 80;
    for (std::uint32_t g = 0; g < groups; ++g) {
        for (std::uint32_t a = 0; a < 4; ++a)
            for (std::uint32_t b = 0; b < a; ++b) pairs[{4 * g + b, 4 * g + a}] = 1000;
        for (const std::uint32_t step : {1U, 3U, 7U, 12U}) {
            const std::uint32_t other = g / 40 * 40 + (g + step) % 40;
            pairs[std::minmax(4 * g, 4 * other)] = 1;
        }
    }
    Random random(3);
    Case c{CsrGraph(graph_of(4 * groups, pairs)), {160, 160}, Parts(4 * groups)};
    for (std::uint32_t v = 0; v < c.parts.size(); ++v) c.parts[v] = v / 4 % 2;
    ASSERT_GT(cut_of(c.graph, c.parts), 0.0);

    PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, c.parts);

    EXPECT_EQ(cut_of(c.graph, c.parts), 0.0);
}

TEST(PartAnnealing, TheSameSeedGivesTheSameParts) {
    Random random(4);
    const Case c = dealt(CsrGraph(random_graph(random, 500, 20)), 7, random);
    Parts once = c.parts;
    Parts again = c.parts;
    PartAnnealing annealing;
    Random first(9);
    annealing.lower_cut({c.graph, c.targets}, effort, first, once);
    Random second(9);
    annealing.lower_cut({c.graph, c.targets}, effort, second, again);
    EXPECT_EQ(once, again);
    EXPECT_NE(once, c.parts);
}

TEST(PartAnnealing, AfterTheDeadlineNothingMoves) {
    Random random(5);
    const Case c = dealt(CsrGraph(random_graph(random, 200, 20)), 4, random);
    Parts parts = c.parts;
    PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, parts, Deadline::after(0.0));
    EXPECT_EQ(parts, c.parts);
}

TEST(PartAnnealing, NothingCutIsLeftAsItIs) {
    Random random(6);
    const Case c = dealt(CsrGraph(graph_of(12, {})), 3, random);
    Parts parts = c.parts;
    PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, parts);
    EXPECT_EQ(parts, c.parts);
}

TEST(PartAnnealing, AsManyPartsAsItTakes) {
    EXPECT_FALSE(PartAnnealing::takes(10, 1));
    EXPECT_FALSE(PartAnnealing::takes(1000, PartAnnealing::most_parts + 1));
    EXPECT_TRUE(PartAnnealing::takes(PartAnnealing::most_weights / 64, 64));
    EXPECT_FALSE(PartAnnealing::takes(PartAnnealing::most_weights / 64 + 1, 64));
    Random random(7);
    Case c = dealt(CsrGraph(random_graph(random, 640, 20)),
                   std::uint32_t{PartAnnealing::most_parts}, random);
    const double cut = cut_of(c.graph, c.parts);
    PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, c.parts);
    EXPECT_LT(cut_of(c.graph, c.parts), cut);
}

}  // namespace
}  // namespace commmap
