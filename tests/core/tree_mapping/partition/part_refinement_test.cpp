// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/tree_mapping/partition/part_refinement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/tree_mapping/graphs.hpp"
#include "core/tree_mapping/partition/multilevel_refinement.hpp"

namespace commmap {
namespace {

using tests::cut_of;
using tests::graph_of;
using tests::Pairs;
using tests::random_graph;
using Case = tests::PartsCase;

/// Returns a random graph, with its vertices in random parts of random sizes.
Case random_case(Random& random) {
    const auto n = static_cast<std::uint32_t>(2 + random.below(200));
    Case c{CsrGraph(random_graph(random, n, 20)), {}, Parts(n)};
    const auto num_parts = static_cast<std::uint32_t>(2 + random.below(6));
    c.targets.assign(num_parts, 0);
    for (std::uint32_t& part : c.parts) {
        part = static_cast<std::uint32_t>(random.below(num_parts));
        ++c.targets[part];
    }
    return c;
}

void expect_sizes(const Case& c) {
    std::vector<std::uint32_t> sizes(c.targets.size(), 0);
    for (const std::uint32_t part : c.parts) ++sizes[part];
    EXPECT_EQ(sizes, c.targets);
}

/// Returns the load of all parts together: an edge that is cut loads two parts.
double load_of(const Case& c) { return 2.0 * cut_of(c.graph, c.parts); }

TEST(PartRefinement, KeepsSizesAndCutsLess) {
    Random random(1);
    PartRefinement refinement;
    double before = 0.0;
    double after = 0.0;
    for (int round = 0; round < 200; ++round) {
        Case c = random_case(random);
        const double cut = load_of(c);
        const PartRefinement::Problem problem{c.graph, c.targets, 0, Potential::linear(1.0)};
        EXPECT_EQ(PartRefinement::potential_of(problem, c.parts), cut);
        refinement.refine(problem, {4, 60}, c.parts);
        expect_sizes(c);
        EXPECT_LE(load_of(c), cut);
        before += cut;
        after += load_of(c);
        refine_multilevel(refinement, problem, {2, 60}, random, c.parts);
        expect_sizes(c);
        EXPECT_LE(load_of(c), cut);
    }
    EXPECT_LT(after, 0.8 * before);
}

TEST(PartRefinement, PowersLowerTheLargestLoad) {
    Random random(2);
    PartRefinement refinement;
    double before = 0.0;
    double after = 0.0;
    for (int round = 0; round < 200; ++round) {
        Case c = random_case(random);
        // Each vertex also has edges to outside of the graph.
        std::vector<double> outside(c.parts.size());
        for (double& bytes : outside) bytes = static_cast<double>(random.below(20));
        PartRefinement::Problem problem{c.graph, c.targets, 0, Potential::linear(1.0), outside};
        refinement.refine(problem, {4, 60}, c.parts);
        const auto most = [&] {
            const auto loads = PartRefinement::loads_of(problem, c.parts);
            return *std::max_element(loads.begin(), loads.end());
        };
        const double largest = most();
        if (largest == 0.0) continue;
        problem.potential = Potential::power(1.0, largest, 4);
        const double potential = PartRefinement::potential_of(problem, c.parts);
        refine_multilevel(refinement, problem, {4, 60}, random, c.parts);
        expect_sizes(c);
        EXPECT_LE(PartRefinement::potential_of(problem, c.parts), potential);
        before += largest;
        after += most();
    }
    EXPECT_LT(after, 0.97 * before);
}

TEST(PartRefinement, FillsExactly) {
    Random random(3);
    PartRefinement refinement;
    for (int round = 0; round < 100; ++round) {
        Case c = random_case(random);
        for (std::uint32_t& part : c.parts)
            if (random.below(4) == 0)
                part = static_cast<std::uint32_t>(random.below(c.targets.size()));
        refinement.fill_exactly({c.graph, c.targets, 0, Potential::linear(1.0)}, c.parts);
        expect_sizes(c);
    }
}

TEST(PartRefinement, FillsWithTheVertexThatCostsLeast) {
    // The path 0-1-2-3 has weights 5, 1, 5, and only vertex 2 is in part 1. Vertex 3 goes there, to
    // its neighbour.
    const CsrGraph path(graph_of(4, {{{0, 1}, 5}, {{1, 2}, 1}, {{2, 3}, 5}}));
    const std::vector<std::uint32_t> targets{2, 2};
    Parts parts{0, 0, 1, 0};
    PartRefinement refinement;

    refinement.fill_exactly({path, targets, 0, Potential::linear(1.0)}, parts);

    EXPECT_EQ(parts, (Parts{0, 0, 1, 1}));
}

TEST(PartRefinement, FillsAnEmptyPart) {
    const CsrGraph none(graph_of(4, {}));
    const std::vector<std::uint32_t> targets{1, 3};
    Parts parts{0, 0, 0, 0};
    PartRefinement refinement;

    refinement.fill_exactly({none, targets, 0, Potential::linear(1.0)}, parts);

    EXPECT_EQ(parts, (Parts{1, 1, 1, 0}));
}

TEST(PartRefinement, PartsThatHalvingPutApartExchange) {
    // Halving made the pairs 0, 1 and 2, 3 of parts. Parts 1 and 2 each have one vertex of the
    // other.
    Pairs pairs;
    for (std::uint32_t part = 0; part < 4; ++part)
        for (std::uint32_t a = 0; a < 4; ++a)
            for (std::uint32_t b = 0; b < a; ++b) pairs[{4 * part + b, 4 * part + a}] = 10;
    Case c{CsrGraph(graph_of(16, pairs)), {4, 4, 4, 4}, Parts(16)};
    for (std::uint32_t v = 0; v < 16; ++v) c.parts[v] = v / 4;
    std::swap(c.parts[4], c.parts[8]);
    PartRefinement refinement;
    refinement.refine({c.graph, c.targets, 0, Potential::linear(1.0)}, {1, 60}, c.parts);
    EXPECT_EQ(load_of(c), 0.0);
}

}  // namespace
}  // namespace commmap
