// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/check_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/calibration/check/check_network.hpp"
#include "core/calibration/sample_clusters.hpp"

namespace commmap {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;

CheckPlan plan_of(const Cluster& cluster, std::uint32_t at_once = any_number_at_once) {
    return plan_check(cluster, NodePlaces::find(cluster, whole_cluster(cluster)).value(), at_once);
}

CheckPlan plan_of(const Cluster& cluster, const std::vector<std::string>& names) {
    Allocation allocation;
    for (const std::string& name : names) allocation.nodes.push_back({name, 0});
    return plan_check(cluster, NodePlaces::find(cluster, allocation).value(), any_number_at_once);
}

std::size_t count_of(const CheckPlan& plan, CheckOf of) {
    return static_cast<std::size_t>(
        std::count_if(plan.series.begin(), plan.series.end(),
                      [&](const CheckSeries& series) { return series.of == of; }));
}

/// How often each node sends, or receives, in series of ports.
std::vector<int> times(const CheckPlan& plan, std::size_t num_nodes, bool out) {
    std::vector<int> count(num_nodes, 0);
    for (const CheckSeries& series : plan.series) {
        if (series.of != CheckOf::ports) continue;
        for (const CheckPair& pair : series.pairs) ++count[out ? pair.sender : pair.receiver];
    }
    return count;
}

TEST(PlanCheck, EveryNodeSendsAndReceivesInRoundsOfDisjointPairs) {
    const Cluster cluster = sweeney_cluster();

    const CheckPlan plan = plan_of(cluster);

    // m0 and m5 help m4 and m7, which are left over
    EXPECT_THAT(times(plan, 8, true), ElementsAre(2, 1, 1, 1, 1, 2, 1, 1));
    EXPECT_THAT(times(plan, 8, false), ElementsAre(2, 1, 1, 1, 1, 2, 1, 1));
    for (const CheckSeries& series : plan.series) {
        if (series.of != CheckOf::ports) continue;
        std::set<NodeId> nodes;
        for (const CheckPair& pair : series.pairs) {
            EXPECT_TRUE(nodes.insert(pair.sender).second);
            EXPECT_TRUE(nodes.insert(pair.receiver).second);
            EXPECT_EQ(cluster.nodes[pair.sender].switch_index,
                      cluster.nodes[pair.receiver].switch_index);
        }
    }
    EXPECT_THAT(plan.not_tested, IsEmpty());
}

TEST(PlanCheck, TakesAsLongOnTenThousandNodesAsOnAHundred) {
    EXPECT_EQ(plan_of(two_pods(100, 50)).series.size(), plan_of(two_pods(6, 10)).series.size());
    EXPECT_LT(expected_s(plan_of(two_pods(100, 50))), 60);
}

TEST(PlanCheck, TakesLessThanAMinuteWithTwoPairsAtOnce) {
    const CheckPlan plan = plan_of(sweeney_cluster(), 2);

    EXPECT_LT(expected_s(plan), 30);
    for (const CheckSeries& series : plan.series) {
        const auto streams = std::count_if(series.pairs.begin(), series.pairs.end(),
                                           [](const CheckPair& pair) { return !pair.load; });
        EXPECT_LE(streams, 2);
    }
}

TEST(PlanCheck, EveryUplinkIsFilledInBothDirections) {
    const CheckPlan plan = plan_of(leaves_of({3, 3, 3}));

    // s0 with s1, both directions; s2 with s0
    ASSERT_EQ(plan.paths.size(), 4U);
    std::set<std::uint32_t> from;
    std::set<std::uint32_t> to;
    for (const UplinkPath& path : plan.paths) {
        from.insert(path.from);
        to.insert(path.to);
        EXPECT_EQ(path.num_pairs, 2U);
        EXPECT_DOUBLE_EQ(path.by_file_bytes_per_s, 12.5e6 / wire_bytes_per_byte);
    }
    EXPECT_EQ(from.size(), 3U);
    EXPECT_EQ(to.size(), 3U);
}

TEST(PlanCheck, ANodeAloneOnItsSwitchGetsAPartnerElsewhere) {
    const CheckPlan plan = plan_of(sweeney_cluster(), {"m0", "m1", "m5"});

    EXPECT_THAT(times(plan, 3, true), ElementsAre(2, 1, 1));
    EXPECT_THAT(plan.not_tested,
                ElementsAre(HasSubstr("hang on switch 's0': the job needs 3 nodes"),
                            HasSubstr("hang on switch 's1'")));
}

TEST(PlanCheck, NodesAloneOnTheirSwitchesAreInRoundsOfDisjointPairs) {
    for (const std::size_t count : {8U, 9U, 101U}) {
        const CheckPlan plan = plan_of(leaves_of(std::vector<int>(count, 1)));

        EXPECT_LE(count_of(plan, CheckOf::ports), 4U) << count;
        EXPECT_THAT(times(plan, count, true), Each(AllOf(testing::Ge(1), Le(2)))) << count;
        EXPECT_THAT(times(plan, count, false), Each(AllOf(testing::Ge(1), Le(2)))) << count;
    }
}

TEST(PlanCheck, OneSwitchHasNoUplink) {
    const CheckPlan plan = plan_of(sweeney_cluster(), {"m0", "m1", "m2"});

    EXPECT_THAT(plan.paths, IsEmpty());
    EXPECT_EQ(count_of(plan, CheckOf::place), 0U);
    EXPECT_THAT(plan.not_tested, ElementsAre(HasSubstr("no sibling of it has nodes in the job")));
}

TEST(PlanCheck, WideUplinksAreNotFilled) {
    EXPECT_THAT(plan_of(two_pods(2, 9)).not_tested, Each(HasSubstr("hang on switch")));
    EXPECT_EQ(count_of(plan_of(two_pods(2, 9)), CheckOf::place), 3U);
}

TEST(PlanCheck, NodesOfAClassMeetEachOther) {
    const Cluster cluster = two_classes(3, 1);

    const CheckPlan plan = plan_of(cluster);

    EXPECT_THAT(times(plan, 4, true), Each(testing::Ge(1)));
    EXPECT_THAT(times(plan, 4, false), Each(testing::Ge(1)));
}

TEST(AddInRounds, KeepsNodesApart) {
    std::vector<CheckSeries> series;
    const std::vector<CheckPair> pairs{{0, 1}, {1, 2}, {2, 3}, {4, 5}};

    add_in_rounds(CheckOf::ports, pairs, any_number_at_once, series);

    ASSERT_EQ(series.size(), 2U);
    EXPECT_THAT(series[0].pairs, ElementsAre(pairs[0], pairs[2], pairs[3]));
    EXPECT_THAT(series[1].pairs, ElementsAre(pairs[1]));
}

}  // namespace
}  // namespace commmap
