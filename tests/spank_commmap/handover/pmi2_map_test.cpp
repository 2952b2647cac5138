// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/handover/pmi2_map.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace commmap::spank {
namespace {

std::string map_of(const std::vector<std::uint32_t>& nodes) {
    return pmi2_map(nodes).value_or("none");
}

TEST(Pmi2Map, AsSlurmWritesIt) {
    EXPECT_EQ(map_of({0, 0, 1, 1}), "(vector,(0,2,2))");
    EXPECT_EQ(map_of({1, 0, 0, 1}), "(vector,(1,1,1),(0,1,2),(1,1,1))");
    EXPECT_EQ(map_of({0, 1, 2, 0, 1, 2}), "(vector,(0,3,1),(0,3,1))");
    // three PMIx nodes of a job in which ranks 0 to 6 are on m2 m0 m1 m0 m2 m1 m2
    EXPECT_EQ(map_of({2, 0, 1, 0, 2, 1, 2}), "(vector,(2,1,1),(0,2,1),(0,1,1),(2,1,1),(1,2,1))");
}

TEST(Pmi2Map, NodesWithoutRanksDoNotCount) {
    EXPECT_EQ(map_of({5, 5, 2}), "(vector,(1,1,2),(0,1,1))");
}

TEST(Pmi2Map, NotLongerThanAPmiValue) {
    std::vector<std::uint32_t> scattered(300);
    for (std::size_t rank = 0; rank < scattered.size(); ++rank)
        scattered[rank] = static_cast<std::uint32_t>(rank * 7 % 300);
    EXPECT_FALSE(pmi2_map(scattered));
    std::vector<std::uint32_t> block(100000);
    std::iota(block.begin(), block.end(), 0U);
    EXPECT_EQ(map_of(block), "(vector,(0,100000,1))");
}

}  // namespace
}  // namespace commmap::spank
