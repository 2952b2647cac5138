// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/estimator.hpp"

#include <gtest/gtest.h>

#include <set>

#include "core/estimate/graphs.hpp"

namespace commmap {
namespace {

TEST(EstimatorTable, NamesAreDistinctAndAllEstimate) {
    const CommGraph graph(2, {{0, 1, 1, 1000}});
    const Hct hct = two_nodes_of_two();
    std::set<std::string_view> names;
    for (const EstimatorInfo& info : estimator_table()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name;

        const auto near = info.estimate(graph, hct, std::vector<PuId>{0, 1});
        const auto far = info.estimate(graph, hct, std::vector<PuId>{0, 2});

        ASSERT_TRUE(near && far) << info.name;
        EXPECT_LT(near.value(), far.value()) << info.name;
        EXPECT_FALSE(info.estimate(graph, hct, std::vector<PuId>{0})) << info.name;
    }
    EXPECT_EQ(names,
              (std::set<std::string_view>{"port_cost", "sweeney", "process_time", "hop_bytes"}));
}

TEST(CheckPlacement, NamesTheRankAndThePu) {
    const auto status =
        check_placement(CommGraph(2, {}), two_nodes_of_two(), std::vector<PuId>{0, 17});

    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("rank 1"), std::string::npos);
    EXPECT_NE(status.error().message.find("17"), std::string::npos);
}

}  // namespace
}  // namespace commmap
