// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/check/check_judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/calibration/check/check_network.hpp"
#include "core/calibration/sample_clusters.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::uint32_t switch_of(const Cluster& cluster, const std::string& name) {
    for (std::uint32_t s = 0; s < cluster.switches.size(); ++s) {
        if (cluster.switches[s].name == name) return s;
    }
    return no_id;
}

TEST(Judge, NamesNothingOfACleanCluster) {
    for (const Cluster& cluster : {sweeney_cluster(), leaves_of({3, 4, 5}), leaves_of({2, 2}),
                                   two_pods(2, 9), two_pods(3, 4), two_classes(4, 3)}) {
        const Checked checked = check(cluster, CheckNetwork(cluster));

        EXPECT_TRUE(checked.suspects.empty()) << cluster.source;
        EXPECT_THAT(checked.outliers, IsEmpty()) << cluster.source;
    }
}

TEST(Judge, NamesEachPortOfEachNode) {
    const Cluster cluster = sweeney_cluster();
    for (NodeId node = 0; node < 8; ++node) {
        for (const bool out : {false, true}) {
            CheckNetwork network(cluster);
            network.slow_port(node, out, 0.7);

            const Checked checked = check(cluster, network);

            EXPECT_THAT(short_texts(cluster, checked),
                        ElementsAre(fmt::format("port m{} {}", node, out ? "out" : "in")));
            const SlowValue& value = checked.outliers.front().values.front();
            EXPECT_NEAR(value.share(), 0.7, 0.02);
            EXPECT_NEAR(value.first, 0.7 * 12.5e6 / wire_bytes_per_byte, 0.2e6);
            // three pairs that share no node, both directions
            EXPECT_EQ(value.reference.peers, 6U);
            EXPECT_GT(value.times_spread(), 10);
        }
    }
}

TEST(Judge, BothDirectionsOfAPortAreOneOutlier) {
    const Cluster cluster = sweeney_cluster();
    for (NodeId node = 0; node < 8; ++node) {
        CheckNetwork network(cluster);
        network.slow_port(node, true, 0.7);
        network.slow_port(node, false, 0.6);

        EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                    ElementsAre(fmt::format("port m{} out in", node)));
    }
}

TEST(Judge, ASlowNodeIsNamedAsANodeAndNotAsACable) {
    const Cluster cluster = sweeney_cluster();
    for (NodeId node = 0; node < 8; ++node) {
        CheckNetwork network(cluster);
        network.slow_work(node, 0.7);
        network.slow_port(node, true, 0.8);
        network.slow_port(node, false, 0.8);

        EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                    ElementsAre(fmt::format("node m{}", node)));
    }
}

TEST(Judge, AMuchFasterNodeIsNamed) {
    const Cluster cluster = sweeney_cluster();
    CheckNetwork network(cluster);
    network.slow_work(2, 2.0);

    EXPECT_THAT(short_texts(cluster, check(cluster, network)), ElementsAre("node m2"));
}

TEST(Judge, OfTwoSwitchesThePathIsNamed) {
    const Cluster cluster = sweeney_cluster();
    CheckNetwork network(cluster);
    network.slow_uplink(switch_of(cluster, "s0"), true, 0.5);

    EXPECT_THAT(short_texts(cluster, check(cluster, network)), ElementsAre("path s0 s1 out"));

    network.slow_uplink(switch_of(cluster, "s0"), false, 0.5);

    const Checked both = check(cluster, network);
    EXPECT_THAT(short_texts(cluster, both), ElementsAre("path s0 s1 out in"));
    // by the file: two paths have no median
    EXPECT_EQ(both.outliers.front().values.front().reference.peers, 0U);
}

TEST(Judge, AThirdSwitchTellsWhichUplinkIsSlow) {
    const Cluster cluster = leaves_of({4, 4, 4});
    for (const char* name : {"s0", "s1", "s2"}) {
        CheckNetwork network(cluster);
        network.slow_uplink(switch_of(cluster, name), true, 0.5);

        EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                    ElementsAre(fmt::format("uplink {} out", name)));

        network.slow_uplink(switch_of(cluster, name), false, 0.5);

        EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                    ElementsAre(fmt::format("uplink {} out in", name)));
    }
}

TEST(Judge, NamesEachSwappedPair) {
    const Cluster cluster = sweeney_cluster();
    for (const std::uint32_t at_once : {2U, any_number_at_once}) {
        for (NodeId a = 0; a < 5; ++a) {
            for (NodeId b = 5; b < 8; ++b) {
                CheckNetwork network(cluster);
                network.swap(a, b);

                EXPECT_THAT(short_texts(cluster, check(cluster, network, nullptr, at_once)),
                            ElementsAre(fmt::format("swapped m{} m{}", a, b)));
            }
        }
    }
}

TEST(Judge, NamesSwappedNodesOfSwitchesThatAreNotMeasuredTogether) {
    const Cluster cluster = leaves_of({4, 4, 4, 4});
    for (NodeId a = 0; a < 4; ++a) {
        for (NodeId b = 8; b < 12; ++b) {
            CheckNetwork network(cluster);
            network.swap(a, b);

            EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                        ElementsAre(fmt::format("swapped n{} n{}", a, b)));
        }
    }
}

TEST(Judge, NamesANodeThatHangsOnTheOtherSwitch) {
    const Cluster cluster = sweeney_cluster();
    CheckNetwork network(cluster);
    network.move(3, switch_of(cluster, "s1"));

    EXPECT_THAT(short_texts(cluster, check(cluster, network)), ElementsAre("place m3 s0 s1"));
}

TEST(Judge, NamesTwoOutliersAtOnce) {
    const Cluster cluster = sweeney_cluster();
    CheckNetwork ports(cluster);
    ports.slow_port(0, true, 0.7);
    ports.slow_port(1, false, 0.7);
    EXPECT_THAT(short_texts(cluster, check(cluster, ports)),
                UnorderedElementsAre("port m0 out", "port m1 in"));

    CheckNetwork mixed(cluster);
    mixed.slow_work(2, 0.7);
    mixed.slow_port(6, false, 0.5);
    EXPECT_THAT(short_texts(cluster, check(cluster, mixed)),
                UnorderedElementsAre("node m2", "port m6 in"));

    CheckNetwork moved(cluster);
    moved.swap(1, 7);
    moved.slow_port(3, true, 0.7);
    EXPECT_THAT(short_texts(cluster, check(cluster, moved)),
                UnorderedElementsAre("swapped m1 m7", "port m3 out"));
}

TEST(Judge, OfTwoNodesThePairIsNamed) {
    const Cluster cluster = leaves_of({2});
    CheckNetwork network(cluster);
    network.slow_port(0, true, 0.5);

    const Checked checked = check(cluster, network);

    EXPECT_THAT(short_texts(cluster, checked), ElementsAre("pair n0 n1 out"));
    EXPECT_EQ(checked.outliers.front().values.front().reference.peers, 0U);
}

TEST(Judge, ARateOfAnotherClassIsSaid) {
    const Cluster cluster = two_classes(5, 3);
    CheckNetwork network(cluster);
    network.slow_port(2, true, 0.1);
    network.slow_port(2, false, 0.1);

    const Checked checked = check(cluster, network);

    ASSERT_THAT(short_texts(cluster, checked), ElementsAre("port f2 out in"));
    EXPECT_EQ(cluster.classes[checked.outliers.front().like_class].name, "slow");
}

TEST(Judge, WhatIsSlowOnceIsNotNamed) {
    const Cluster cluster = sweeney_cluster();
    CheckNetwork busy(cluster);
    busy.slow_port(3, true, 0.5);
    busy.slow_work(6, 0.5);
    busy.slow_uplink(switch_of(cluster, "s1"), true, 0.5);
    busy.swap(2, 5);
    const CheckNetwork calm(cluster);

    const Checked checked = check(cluster, busy, &calm);

    EXPECT_FALSE(checked.suspects.empty());
    EXPECT_THAT(checked.outliers, IsEmpty());
}

TEST(Judge, WhenAllBecomesSlowerNobodyIsNamed) {
    const Cluster cluster = sweeney_cluster();
    CheckNetwork once(cluster);
    once.slow_port(3, true, 0.8);
    once.slow_work(6, 0.8);
    CheckNetwork slower(cluster);
    slower.slow_all(0.6);

    EXPECT_THAT(short_texts(cluster, check(cluster, once, &slower)), IsEmpty());
}

TEST(Judge, NothingMeasuredNamesNothing) {
    const Cluster cluster = sweeney_cluster();
    const auto places = NodePlaces::find(cluster, whole_cluster(cluster)).value();
    const CheckPlan plan = plan_check(cluster, places, any_number_at_once);
    const CheckValues values(plan, {});
    const References references(cluster, places, plan, values);

    EXPECT_FALSE(values.complete());
    EXPECT_TRUE(find_suspects(plan, values, references).empty());
}

TEST(Judge, NodesAloneOnTheirSwitchesAreNamed) {
    for (const std::vector<int>& leaves :
         {std::vector{1, 1, 1, 1}, std::vector{1, 1, 1, 1, 1}, std::vector{1, 1, 1, 1, 1, 1, 1}}) {
        const Cluster cluster = leaves_of(leaves);
        for (NodeId node = 0; node < leaves.size(); ++node) {
            CheckNetwork network(cluster);
            network.slow_port(node, true, 0.5);

            EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                        ElementsAre(fmt::format("port n{} out", node)))
                << leaves.size();
        }
    }
}

TEST(Judge, APartnerOfLonelyNodesIsNamed) {
    const Cluster cluster = leaves_of({4, 1, 1, 1});
    CheckNetwork network(cluster);
    network.slow_port(0, true, 0.5);
    EXPECT_THAT(short_texts(cluster, check(cluster, network)), ElementsAre("port n0 out"));

    network.slow_port(0, false, 0.5);
    EXPECT_THAT(short_texts(cluster, check(cluster, network)), ElementsAre("port n0 out in"));
}

TEST(Judge, ANodeOfTwoPairsIsNamed) {
    for (const int nodes : {3, 4, 5, 7}) {
        const Cluster cluster = leaves_of({nodes});
        CheckNetwork network(cluster);
        network.slow_port(0, true, 0.5);
        network.slow_port(0, false, 0.5);

        EXPECT_THAT(short_texts(cluster, check(cluster, network)), ElementsAre("port n0 out in"))
            << nodes;
    }
}

TEST(Judge, AnOrdinaryUplinkAmongUnequalOnesIsNotNamed) {
    const Cluster cluster = leaves_of({3, 3, 3, 3, 3, 3, 3, 3});
    CheckNetwork network(cluster);
    const double shares[] = {0.84, 0.86, 0.86, 0.88, 0.88, 1.0, 1.0, 1.0};
    for (std::uint32_t s = 0; s < 8; ++s) {
        network.slow_uplink(switch_of(cluster, fmt::format("s{}", s)), true, shares[s]);
    }

    const Checked checked = check(cluster, network);

    EXPECT_FALSE(checked.suspects.uplinks.empty());
    EXPECT_THAT(checked.outliers, IsEmpty());
}

TEST(Judge, HeadersDoNotLookLikeASlowPort) {
    const Cluster line = leaves_of({2});
    CheckNetwork network(line);
    network.slow_port(0, true, 0.88);

    EXPECT_THAT(short_texts(line, check(line, network)), IsEmpty());
}

TEST(Judge, ASlowNodeDoesNotBlameAWideUplink) {
    for (const int nodes : {2, 4}) {
        const Cluster cluster = wide_leaves(nodes, nodes);
        const auto last = static_cast<NodeId>(nodes - 1);
        CheckNetwork network(cluster);
        network.slow_port(last, true, 0.1);
        EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                    ElementsAre(fmt::format("port n{} out", last)));

        network.slow_uplink(switch_of(cluster, "s0"), true, 0.3);
        EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                    testing::Contains("path s0 s1 out"));
    }
}

TEST(Judge, APathOfSlowNodesOnlyTellsNothing) {
    const Cluster cluster = leaves_of({3, 1});
    CheckNetwork network(cluster);
    network.slow_port(3, true, 0.5);

    const Checked checked = check(cluster, network);

    EXPECT_THAT(short_texts(cluster, checked), ElementsAre("port n3 out"));
    EXPECT_THAT(paths_without_other_streams(checked.second, checked.suspects), testing::SizeIs(1));
}

/// Pod a has lonely nodes, pod b has one: the file says that b's uplink has half of a port's rate.
Cluster narrow_pod() {
    return parse_cluster_yaml(
               "version: 1\n"
               "links: {port: {bandwidth: 12.5 MB/s, latency: 60 us}, half: {bandwidth: 6.25 "
               "MB/s, latency: 60 us}, wide: {bandwidth: 125 MB/s, latency: 60 us}}\n"
               "node_classes: {k: {hwloc: {synthetic: 'core:2 pu:1'}, link: port}}\n"
               "switches:\n"
               "  core: {switches: [a, b]}\n"
               "  a: {switches: [a0, a1, a2, a3, a4, a5], link: wide}\n"
               "  b: {switches: [b0], link: half}\n"
               "  a0: {nodes: n0, class: k, link: wide}\n"
               "  a1: {nodes: n1, class: k, link: wide}\n"
               "  a2: {nodes: n2, class: k, link: wide}\n"
               "  a3: {nodes: n3, class: k, link: wide}\n"
               "  a4: {nodes: n4, class: k, link: wide}\n"
               "  a5: {nodes: n5, class: k, link: wide}\n"
               "  b0: {nodes: n6, class: k, link: wide}\n",
               "narrow.yaml")
        .value();
}

TEST(Judge, AStreamIsComparedWithStreamsOfWhichTheFileSaysTheSame) {
    const Cluster cluster = narrow_pod();

    const Checked checked = check(cluster, CheckNetwork(cluster));

    EXPECT_TRUE(checked.suspects.empty());
    EXPECT_THAT(short_texts(cluster, checked), IsEmpty());
}

TEST(Judge, ASlowUplinkElsewhereHidesNoPort) {
    const Cluster cluster = leaves_of({3, 3, 3, 1});
    CheckNetwork network(cluster);
    network.slow_uplink(switch_of(cluster, "s0"), true, 0.5);
    network.slow_port(9, true, 0.5);

    EXPECT_THAT(short_texts(cluster, check(cluster, network)),
                UnorderedElementsAre("uplink s0 out", "port n9 out"));
}

TEST(CheckValues, CountsWhatWasMeasured) {
    const Cluster cluster = sweeney_cluster();
    const auto places = NodePlaces::find(cluster, whole_cluster(cluster)).value();
    const CheckPlan plan = plan_check(cluster, places, any_number_at_once);
    std::vector<Measured> measured = CheckNetwork(cluster).measure(plan);

    EXPECT_EQ(CheckValues(plan, {}).count_nodes(), 0U);
    EXPECT_EQ(CheckValues(plan, {}).count_uplinks(plan), 0U);
    EXPECT_EQ(CheckValues(plan, measured).count_nodes(), 8U);
    EXPECT_EQ(CheckValues(plan, measured).count_uplinks(plan), 2U);

    // the first series only
    std::erase_if(measured, [](const Measured& one) { return one.series > 0; });
    EXPECT_EQ(CheckValues(plan, measured).count_nodes(), 0U);
}

TEST(Judge, RandomPlantingsOfOneFaultAreNamedAndNothingElse) {
    const Cluster cluster = leaves_of({5, 3, 4});
    std::mt19937 random(1);
    for (int round = 0; round < 60; ++round) {
        CheckNetwork network(cluster);
        const auto node = static_cast<NodeId>(random() % 12);
        const bool out = random() % 2 == 0;
        const double share = 0.3 + 0.1 * static_cast<double>(random() % 5);
        const std::uint32_t at_once = 1 + static_cast<std::uint32_t>(random() % 6);
        network.slow_port(node, out, share);

        EXPECT_THAT(short_texts(cluster, check(cluster, network, nullptr, at_once)),
                    ElementsAre(fmt::format("port n{} {}", node, out ? "out" : "in")))
            << share << " at once " << at_once;
    }
}

}  // namespace
}  // namespace commmap
