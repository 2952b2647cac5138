// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/mapping/construction/metis_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace commmap {
namespace {

TEST(ScaleWeights, LeavesSmallOnesAlone) {
    const std::vector<std::uint64_t> weights{0, 1, 1000};

    EXPECT_EQ(scale_weights(weights).value(), (std::vector<std::int32_t>{0, 1, 1000}));
}

TEST(ScaleWeights, BringsMoreThan31BitsIntoRange) {
    const std::vector<std::uint64_t> weights{std::uint64_t{1} << 40U, std::uint64_t{1} << 39U, 1,
                                             UINT64_MAX, UINT64_MAX};

    const auto scaled = scale_weights(weights);

    ASSERT_TRUE(scaled);
    const auto& w = scaled.value();
    EXPECT_NEAR(w[3], 1 << 29, 100);  // half of 2^30, less the share of the small ones
    EXPECT_EQ(w[3], w[4]);
    EXPECT_EQ(w[2], 1);  // not lost
    EXPECT_GE(w[0], w[1]);
    const std::int64_t sum = std::accumulate(w.begin(), w.end(), std::int64_t{0});
    EXPECT_LT(sum, INT32_MAX);
}

TEST(ScaleWeights, KeepsProportionsAbove31Bits) {
    const std::vector<std::uint64_t> weights{6'000'000'000, 3'000'000'000};

    const auto w = scale_weights(weights).value();

    EXPECT_NEAR(static_cast<double>(w[0]) / w[1], 2.0, 1e-6);
}

TEST(MetisPartition, SplitsTwoCliques) {
    // Vertices 0-3 and 4-7, a clique each, one light edge between 0 and 4; weights above 2^31.
    std::vector<WeightedEdge> edges{{0, 4, 1}};
    for (std::uint32_t v = 0; v < 8; ++v)
        for (std::uint32_t u = v / 4 * 4; u < v; ++u) edges.push_back({u, v, 5e9});
    const WeightedGraph graph = graph_of_edges(8, edges).value();
    const std::vector<std::uint32_t> sizes{4, 4};

    const auto part = metis_partition(graph, sizes, 1);

    ASSERT_TRUE(part) << part.error().message;
    for (std::size_t v = 0; v < 8; ++v) EXPECT_EQ(part.value()[v], part.value()[v / 4 * 4]);
    EXPECT_NE(part.value()[0], part.value()[4]);
    EXPECT_EQ(metis_partition(graph, sizes, 1).value(), part.value());
}

}  // namespace
}  // namespace commmap
