#include "core/mapping/part_annealing.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/mapping/graphs.hpp"

namespace commmap {
namespace {

using tests::graph_of;
using tests::Pairs;
using tests::random_graph;

struct Case {
    CsrGraph graph;
    std::vector<std::uint32_t> targets;
    Parts parts;
};

/// Vertices in parts at random.
Case dealt(CsrGraph graph, std::uint32_t num_parts, Random& random) {
    Case c{std::move(graph), std::vector<std::uint32_t>(num_parts, 0), {}};
    for (std::uint32_t v = 0; v < c.graph.num_vertices(); ++v) c.parts.push_back(v % num_parts);
    shuffle(std::span(c.parts), random);
    for (const std::uint32_t part : c.parts) ++c.targets[part];
    return c;
}

double cut_of(const CsrGraph& graph, const Parts& parts) {
    double cut = 0.0;
    for (std::uint32_t v = 0; v < parts.size(); ++v)
        for (std::uint32_t i = graph.first[v]; i < graph.first[v + 1]; ++i)
            if (parts[graph.neighbours[i]] != parts[v])
                cut += static_cast<double>(graph.weights[i]);
    return cut / 2;
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
        EXPECT_LE(cut_of(c.graph, c.parts), cut);
        before += cut;
        after += cut_of(c.graph, c.parts);
    }
    EXPECT_LT(after, 0.75 * before);
}

TEST(PartAnnealing, SizesStayNearTheirTargets) {
    Random random(2);
    PartAnnealing annealing;
    for (int round = 0; round < 20; ++round) {
        Case c = dealt(CsrGraph(random_graph(random, 1000, 20)), 8, random);

        annealing.lower_cut({c.graph, c.targets}, effort, random, c.parts);

        std::vector<std::int64_t> excess(8, 0);
        for (const std::uint32_t part : c.parts) ++excess[part];
        for (std::size_t part = 0; part < 8; ++part) {
            excess[part] -= c.targets[part];
            EXPECT_LE(std::abs(excess[part]), c.targets[part] / 8) << part;
        }
    }
}

TEST(PartAnnealing, MovesGroupsThatHeavyEdgesHoldTogether) {
    // Two halves without an edge between them, of 40 groups of four each; half of the groups begin
    // in the wrong part. A single vertex would cut three heavy edges, at far too low a temperature.
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
    Random random(7);
    Case c = dealt(CsrGraph(random_graph(random, 640, 20)), PartAnnealing::most_parts, random);
    const double cut = cut_of(c.graph, c.parts);
    PartAnnealing().lower_cut({c.graph, c.targets}, effort, random, c.parts);
    EXPECT_LT(cut_of(c.graph, c.parts), cut);
}

}  // namespace
}  // namespace commmap
