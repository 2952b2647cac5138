// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/calibration/inside_kinds.hpp"
#include "core/calibration/sample_clusters.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::Pair;

double expected_s(const std::vector<Series>& series) {
    return std::accumulate(series.begin(), series.end(), 0.0,
                           [](double sum, const Series& one) { return sum + one.expected_s; });
}

std::vector<Series> series_of(const Cluster& cluster) {
    const auto kinds = find_port_kinds(cluster, whole_cluster(cluster));
    return plan_series(kinds.value());
}

TEST(PlanSeries, MeasuresAPortAloneThenFromOneAndToOne) {
    const Cluster cluster = sweeney_cluster();

    const auto series = named(series_of(cluster), whole_cluster(cluster));

    // the node's port: 1 + 1 + 3 of short messages + 4 from one node + 3 to one node; the uplink:
    // 1 + 1 + 1 of short messages + 3
    ASSERT_EQ(series.size(), 18U);
    EXPECT_EQ(series[0].pattern, MeasuringPattern::round_trips);
    EXPECT_EQ(series[0].lengths_bytes.front(), 1U);
    EXPECT_EQ(series[0].lengths_bytes.back(), 4194304U);
    EXPECT_EQ(series[0].lengths_bytes.size(), 23U);
    EXPECT_EQ(series[1].pattern, MeasuringPattern::both_ways);
    EXPECT_EQ(series[1].lengths_bytes.front(), 61440U);
    EXPECT_EQ(series[2].pattern, MeasuringPattern::gaps);
    EXPECT_THAT(series[2].pairs, ElementsAre(Pair("m0", "m1")));
    EXPECT_THAT(series[2].lengths_bytes, ElementsAre(8U));
    EXPECT_EQ(series[3].pattern, MeasuringPattern::send_overheads);
    EXPECT_EQ(series[4].pattern, MeasuringPattern::receive_overheads);
    EXPECT_EQ(series[5].pattern, MeasuringPattern::streams);
    EXPECT_THAT(series[5].pairs, ElementsAre(Pair("m0", "m1")));
    EXPECT_EQ(series[5].lengths_bytes.front(), 61440U) << "to be compared with both directions";
    EXPECT_EQ(series[6].lengths_bytes.front(), 65536U);
    EXPECT_THAT(series[6].pairs, ElementsAre(Pair("m0", "m1"), Pair("m0", "m2")));
    EXPECT_THAT(series[9].pairs, ElementsAre(Pair("m1", "m0"), Pair("m2", "m0")));
    EXPECT_THAT(series[12].pairs, ElementsAre(Pair("m0", "m5")));
    EXPECT_EQ(series[14].pattern, MeasuringPattern::gaps);
    EXPECT_THAT(series[14].pairs, ElementsAre(Pair("m0", "m5")));
    EXPECT_EQ(series[15].pattern, MeasuringPattern::streams);
    EXPECT_THAT(series[17].pairs,
                ElementsAre(Pair("m0", "m5"), Pair("m1", "m6"), Pair("m2", "m7")));
}

TEST(PlanSeries, TakesTwoMinutesAtMostOnTheEmulatedCluster) {
    EXPECT_LT(expected_s(series_of(sweeney_cluster())), 120);
    EXPECT_GT(expected_s(series_of(sweeney_cluster())), 10);
}

TEST(PlanSeries, TakesAsLongOnTenThousandNodesAsOnAHundred) {
    EXPECT_DOUBLE_EQ(expected_s(series_of(two_pods(100, 50))),
                     expected_s(series_of(two_pods(5, 10))));
    EXPECT_LT(expected_s(series_of(two_pods(100, 50))), 15 * 60);
}

TEST(PlanSeries, MeasuresASwitchWithOnePairThenWithAll) {
    const Cluster cluster = sweeney_cluster();
    const Allocation all = whole_cluster(cluster);
    const auto kinds = find_port_kinds(cluster, all).value();
    auto switches = find_switch_kinds(cluster, all).value();

    const auto planned = plan_series(kinds, switches);
    const auto series = named(planned, all);

    ASSERT_EQ(series.size(), 20U) << "the root switch has no two pairs";
    for (const std::size_t s : {18U, 19U}) {
        EXPECT_EQ(planned[s].kind, no_id);
        EXPECT_EQ(planned[s].switch_kind, 0U);
        EXPECT_EQ(series[s].pattern, MeasuringPattern::together);
        EXPECT_THAT(series[s].lengths_bytes, ElementsAre(65536U, 1048576U));
    }
    EXPECT_THAT(series[18].pairs, ElementsAre(Pair("m0", "m2")));
    EXPECT_THAT(series[19].pairs, ElementsAre(Pair("m0", "m2"), Pair("m1", "m3")));
    EXPECT_LT(expected_s(planned), 120);

    switches[0].max_bandwidth_bytes_per_s = 1e6;
    const auto slow = plan_series(kinds, switches);
    EXPECT_EQ(named(slow, all), series) << "measurements fit the file after it was written";
    EXPECT_GT(slow[19].expected_s, 2 * slow[18].expected_s * 0.99);
    EXPECT_GT(slow[19].expected_s, planned[19].expected_s);
}

TEST(PlanSeries, MeasuresNoSwitchWithoutPorts) {
    std::vector<PortKind> kinds(1);
    kinds[0].why_not = "no pair";
    std::vector<SwitchKind> switches(1);
    switches[0].senders = {0, 1};
    switches[0].receivers = {2, 3};

    EXPECT_TRUE(plan_series(kinds, switches).empty());
}

TEST(PlanSeries, LeavesOutWhatNoPairCanMeasure) {
    std::vector<PortKind> kinds(2);
    kinds[0].why_not = "no pair";
    kinds[1].ends_a = {0};
    kinds[1].ends_b = {1};

    const auto series = plan_series(kinds);

    ASSERT_EQ(series.size(), 6U);
    for (const Series& one : series) EXPECT_EQ(one.kind, 1U);
}

TEST(PlanSeries, InsideOfNodesComesLastByNamesOfCpus) {
    const Cluster cluster = sweeney_cluster();
    auto kinds = find_port_kinds(cluster, whole_cluster(cluster)).value();
    const auto switches = find_switch_kinds(cluster, whole_cluster(cluster)).value();
    const std::vector<Series> between = plan_series(kinds, switches);
    const auto inside = find_inside_kinds(cluster, whole_cluster(cluster)).value();
    kinds.insert(kinds.end(), inside.begin(), inside.end());

    const std::vector<Series> planned = plan_series(kinds, switches);
    const auto series = named(planned, whole_cluster(cluster));

    ASSERT_EQ(planned.size(), between.size() + 3);
    EXPECT_EQ(planned[between.size() - 1].inside_of, no_id);
    EXPECT_EQ(planned[between.size() - 1].expected_s, between.back().expected_s);
    for (std::size_t s = between.size(); s < planned.size(); ++s) {
        EXPECT_EQ(planned[s].inside_of, 0U);
        EXPECT_EQ(planned[s].kind, kinds.size() - 1);
        EXPECT_THAT(series[s].pairs, ElementsAre(Pair("m0:0", "m0:1")));
    }
    EXPECT_THAT(series[between.size()].lengths_bytes, testing::SizeIs(12)) << "they quadruple";
    EXPECT_EQ(series[between.size() + 1].pattern, MeasuringPattern::gaps);
    EXPECT_THAT(series[between.size() + 2].lengths_bytes, ElementsAre(65536, 262144, 1048576));
}

TEST(PlanSeries, PairsInsideOfNodesDouble) {
    PortKind kind;
    kind.owner = PortKind::Owner::inside;
    kind.node = 0;
    for (std::uint32_t cpu = 0; cpu < 6; ++cpu) {
        kind.ends_a.push_back(cpu);
        kind.ends_b.push_back(6 + cpu);
    }
    const auto counts = [](const PortKind& of) {
        std::vector<std::size_t> pairs;
        for (const Series& one : plan_series(std::span(&of, 1))) {
            if (one.pattern == MeasuringPattern::streams) pairs.push_back(one.senders.size());
        }
        return pairs;
    };
    EXPECT_THAT(counts(kind), ElementsAre(1, 2, 4, 6)) << "both directions of an own end each";

    kind.ends_a.assign(6, 0);
    EXPECT_THAT(counts(kind), ElementsAre(1, 2, 4, 6, 2, 4, 6)) << "from one, then to one";
}

}  // namespace
}  // namespace commmap
