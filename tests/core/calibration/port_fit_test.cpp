// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/port_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/calibration/blocks.hpp"
#include "core/calibration/gap_blocks.hpp"
#include "core/calibration/sample_clusters.hpp"

namespace commmap {
namespace {

using testing::DoubleNear;
using testing::SizeIs;

/// A network that does what the estimate says: latency + length / bandwidth, and ports that give
/// their maximum whoever asks.
struct ModelNetwork {
    double latency_s = 60e-6;
    double bandwidth = 12e6;
    double out_max = 12e6;
    double in_max = 12e6;
    double slower_from = 0;  ///< from this length on, half the bandwidth
    double both_factor = 2.0;
    std::optional<double> both_factor_of_uplinks;  ///< none: the same
    std::optional<double> both_factor_of_long;     ///< from 64 KiB on; none: the same
    bool file_says_half = false;
    double slowest_block = 0.5;  ///< of streams, as a share of the fastest
    double gap_s = 9e-6;
    double buffer = 0;  ///< bytes that pass at ten times the bandwidth

    [[nodiscard]] double half_round_trip(double length) const {
        const bool slower = slower_from > 0 && length >= slower_from;
        const double buffered = std::min(length, buffer);
        return latency_s + (length - buffered * 0.9) / (slower ? bandwidth / 2 : bandwidth);
    }

    [[nodiscard]] std::vector<Measured> measure(const std::vector<Series>& series,
                                                const std::vector<PortKind>& kinds) const {
        std::vector<Measured> all;
        for (std::uint32_t s = 0; s < series.size(); ++s) {
            for (const std::uint64_t length : series[s].lengths_bytes) {
                const auto bytes = static_cast<double>(length);
                const double pairs = static_cast<double>(series[s].senders.size());
                const bool from_one = series[s].senders.front() == series[s].senders.back();
                double value = 0.0;
                switch (series[s].pattern) {
                    case MeasuringPattern::round_trips:
                        value = half_round_trip(bytes);
                        break;
                    case MeasuringPattern::both_ways:
                        value = both_factor * bandwidth;
                        if (kinds[series[s].kind].owner == PortKind::Owner::switch_)
                            value = both_factor_of_uplinks.value_or(both_factor) * bandwidth;
                        if (length >= 65536 && both_factor_of_long)
                            value = *both_factor_of_long * bandwidth;
                        break;
                    case MeasuringPattern::streams:
                        value = std::min(pairs * bandwidth, from_one ? out_max : in_max);
                        break;
                    case MeasuringPattern::gaps:
                        value = gap_s;
                        break;
                    case MeasuringPattern::send_overheads:
                        value = 2e-6;
                        break;
                    case MeasuringPattern::receive_overheads:
                        value = 3e-6;
                        break;
                    case MeasuringPattern::together:
                        value = bandwidth;
                        break;
                    case MeasuringPattern::each_pair:
                    case MeasuringPattern::work:
                        break;  // of a check
                }
                // other load only adds time
                const bool time = series[s].pattern == MeasuringPattern::round_trips ||
                                  is_of_short_messages(series[s].pattern);
                all.push_back(
                    {s, length, {value, time ? value * 1.5 : value * slowest_block, value}});
            }
        }
        return all;
    }
};

struct Fitted {
    std::vector<PortKind> kinds;
    std::vector<Series> series;
    std::vector<MeasuredPort> ports;
};

Fitted fit(const ModelNetwork& network, const Cluster& cluster = sweeney_cluster()) {
    Fitted fitted;
    fitted.kinds = find_port_kinds(cluster, whole_cluster(cluster)).value();
    for (PortKind& kind : fitted.kinds) kind.link.half_duplex = network.file_says_half;
    const auto switches = find_switch_kinds(cluster, whole_cluster(cluster)).value();
    fitted.series = plan_series(fitted.kinds, switches);
    fitted.ports =
        fit_ports(fitted.kinds, fitted.series, network.measure(fitted.series, fitted.kinds));
    return fitted;
}

TEST(PortFit, FindsTheNumbersOfTheModel) {
    const Fitted fitted = fit({});

    ASSERT_THAT(fitted.ports, SizeIs(2));
    for (const MeasuredPort& port : fitted.ports) {
        EXPECT_THAT(port.latency_s.value, DoubleNear(60e-6, 1e-6));
        EXPECT_THAT(port.latency_s.spread, DoubleNear(0.5, 1e-6));
        EXPECT_THAT(port.port.out.bandwidth.points(), SizeIs(1)) << "one value is enough";
        EXPECT_THAT(port.port.out.bandwidth.at(1 << 20), DoubleNear(12e6, 0.1e6));
        EXPECT_THAT(port.max_out.value().value, DoubleNear(12e6, 1));
        EXPECT_THAT(port.max_in.value().value, DoubleNear(12e6, 1));
        EXPECT_TRUE(port.max_out_reached);
        EXPECT_TRUE(port.max_in_reached);
        EXPECT_THAT(port.both_over_one.value(), DoubleNear(2.0, 0.05));
        EXPECT_EQ(port.half_duplex, false);
        EXPECT_FALSE(port.port.half_duplex);
    }
}

TEST(PortFit, FollowsMessagesThatTakeLittleMoreThanTheLatency) {
    const Cluster cluster = sweeney_cluster();
    const auto kinds = find_port_kinds(cluster, whole_cluster(cluster)).value();
    const auto series = plan_series(kinds);
    const std::vector<Measured> measured{{0, 1, {79e-6}},
                                         {0, 1024, {80e-6}},
                                         {0, 2048, {90e-6}},
                                         {0, 4096, {175e-6}},
                                         {0, 1 << 20, {87e-3}}};

    const Channel out = fit_ports(kinds, series, measured)[0].port.out;

    for (const Measured& one : measured) {
        const auto bytes = static_cast<double>(one.length_bytes);
        const double time_s = out.latency_ns * 1e-9 + bytes / out.bandwidth.at(bytes);
        EXPECT_NEAR(time_s / one.blocks[0], 1.0, 0.06) << one.length_bytes << " bytes";
    }
}

TEST(PortFit, TakesGapAndOverheadsOfANodesPort) {
    const Fitted fitted = fit({});

    const MeasuredPort& port = fitted.ports[0];
    EXPECT_THAT(port.gap_s.value().value, DoubleNear(9e-6, 1e-9));
    EXPECT_THAT(port.gap_s.value().spread, DoubleNear(0.5, 1e-6));
    EXPECT_THAT(port.port.out.gap_ns, DoubleNear(9e3, 1e-6));
    EXPECT_THAT(port.port.in.gap_ns, DoubleNear(9e3, 1e-6));
    EXPECT_THAT(port.send_overhead_s.value().value, DoubleNear(2e-6, 1e-9));
    EXPECT_THAT(port.receive_overhead_s.value().value, DoubleNear(3e-6, 1e-9));
    EXPECT_THAT(fitted.ports[1].gap_s.value().value, DoubleNear(9e-6, 1e-9)) << "of an uplink too";
    EXPECT_THAT(fitted.ports[1].port.out.gap_ns, DoubleNear(9e3, 1e-6));
    EXPECT_FALSE(fitted.ports[1].send_overhead_s) << "which no uplink has";
}

TEST(PortFit, LacksAGapThatWasNotFound) {
    ModelNetwork network;
    network.gap_s = no_gap_s;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_FALSE(port.gap_s);
    EXPECT_EQ(port.port.out.gap_ns, 0.0);
}

TEST(PortFit, AGapIsNoLongerThanTheLatency) {
    ModelNetwork network;
    network.gap_s = 200e-6;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_THAT(port.gap_s.value().value, DoubleNear(200e-6, 1e-9)) << "as it was measured";
    EXPECT_EQ(port.port.out.gap_ns, port.port.out.latency_ns);
}

TEST(PortFit, KeepsTheStepOfAProtocol) {
    ModelNetwork network;
    network.slower_from = 65536;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_THAT(port.port.out.bandwidth.at(32768), DoubleNear(12e6, 0.4e6));
    EXPECT_THAT(port.port.out.bandwidth.at(65536), DoubleNear(6e6, 0.2e6));
    EXPECT_THAT(port.port.out.bandwidth.at(4 << 20), DoubleNear(6e6, 0.2e6));
    EXPECT_LE(port.port.out.bandwidth.points().size(), 4U);
}

TEST(PortFit, ShortMessagesMayBeFasterThanTheFullPort) {
    ModelNetwork network;
    network.buffer = 8192;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_GT(port.port.out.bandwidth.at(8192), 100e6);
    EXPECT_THAT(port.port.out.max_bandwidth_bytes_per_s, DoubleNear(12e6, 1));
    EXPECT_LE(port.port.out.bandwidth.of_longest(), port.port.out.max_bandwidth_bytes_per_s);
}

TEST(PortFit, AMessageIsNoSlowerThanALongerOne) {
    Fitted fitted = fit({});
    std::vector<Measured> measured = ModelNetwork{}.measure(fitted.series, fitted.kinds);
    // on a busy machine, all blocks of one short length were slow
    for (Measured& one : measured) {
        if (one.series == 0 && one.length_bytes == 1024) one.blocks = {0.01, 0.02, 0.03};
    }

    const MeasuredPort port = fit_ports(fitted.kinds, fitted.series, measured)[0];

    EXPECT_GT(port.port.out.bandwidth.at(1024), 5e6) << "as the time of 2 KiB says, not 0.1 MB/s";
    EXPECT_THAT(port.port.out.bandwidth.at(2048), DoubleNear(12e6, 0.3e6));
}

TEST(PortFit, TellsOutFromIn) {
    ModelNetwork network;
    network.bandwidth = 6e6;
    network.in_max = 12e6;
    network.out_max = 6e6;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_THAT(port.max_out.value().value, DoubleNear(6e6, 1));
    EXPECT_THAT(port.max_in.value().value, DoubleNear(12e6, 1));
    EXPECT_THAT(port.port.out.max_bandwidth_bytes_per_s, DoubleNear(6e6, 1));
    EXPECT_THAT(port.port.in.max_bandwidth_bytes_per_s, DoubleNear(12e6, 1));
}

TEST(PortFit, SaysWhenNoPortWasFilled) {
    ModelNetwork network;
    network.out_max = network.in_max = 1e9;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_FALSE(port.max_out_reached);
    EXPECT_FALSE(port.max_in_reached);
    EXPECT_THAT(port.max_out.value().value, DoubleNear(4 * 12e6, 1));
}

TEST(PortFit, SeesHalfDuplex) {
    ModelNetwork network;
    network.both_factor = 1.0;
    network.slowest_block = 0.9;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_THAT(port.both_over_one.value(), DoubleNear(1.0, 0.05));
    EXPECT_EQ(port.half_duplex, true);
    EXPECT_TRUE(port.port.half_duplex);
    // An uplink's pair passes nodes' ports, which explain what it gets.
    EXPECT_EQ(fit(network).ports[1].half_duplex, std::nullopt);
}

TEST(PortFit, SeesAHalfDuplexUplinkAboveNodesOfFullDuplex) {
    ModelNetwork network;
    network.slowest_block = 0.9;
    network.both_factor_of_uplinks = 1.0;

    const Fitted fitted = fit(network);

    EXPECT_EQ(fitted.ports[0].half_duplex, false);
    EXPECT_EQ(fitted.ports[1].half_duplex, true);
}

TEST(PortFit, OfTwoTiersOnlyTheLowerUplinkIsKnownAsHalfDuplex) {
    const Cluster two_tiers =
        parse_cluster_yaml(
            "version: 1\n"
            "links: {port: {bandwidth: 12.5 MB/s}, lower: {bandwidth: 12.5 MB/s}, "
            "upper: {bandwidth: 12.5 MB/s}}\n"
            "node_classes: {dual: {hwloc: {synthetic: 'core:2 pu:1'}, link: port}}\n"
            "switches:\n"
            "  core: {switches: [a, b]}\n"
            "  a: {switches: [s0, s1], link: upper}\n"
            "  b: {switches: [s2, s3], link: upper}\n"
            "  s0: {nodes: 'm[0-2]', class: dual, link: lower}\n"
            "  s1: {nodes: 'm[3-5]', class: dual, link: lower}\n"
            "  s2: {nodes: 'm[6-8]', class: dual, link: lower}\n"
            "  s3: {nodes: 'm[9-11]', class: dual, link: lower}\n",
            "two-tiers.yaml")
            .value();
    ModelNetwork network;
    network.slowest_block = 0.9;
    network.both_factor_of_uplinks = 1.0;

    const Fitted fitted = fit(network, two_tiers);

    ASSERT_THAT(fitted.ports, SizeIs(3));
    EXPECT_EQ(fitted.ports[0].half_duplex, false);
    EXPECT_EQ(fitted.ports[1].half_duplex, true) << "the tier above the nodes";
    EXPECT_EQ(fitted.ports[2].half_duplex, std::nullopt) << "its pairs pass the lower one";
}

TEST(PortFit, LongMessagesInBothDirectionsShowFullDuplex) {
    ModelNetwork network;
    network.slowest_block = 0.9;
    network.both_factor = 1.0;
    network.both_factor_of_long = 2.0;

    EXPECT_EQ(fit(network).ports[0].half_duplex, false);
}

TEST(PortFit, FastPortsAreNotTakenForHalfDuplex) {
    ModelNetwork network;
    network.slowest_block = 0.9;
    network.both_factor = 1.0;
    network.bandwidth = network.out_max = network.in_max = 1.2e9;

    EXPECT_EQ(fit(network).ports[0].half_duplex, std::nullopt);
}

TEST(PortFit, OnePairShowsNoFullDuplex) {
    const Cluster pair = parse_cluster_yaml(
                             "version: 1\n"
                             "node_classes: {dual: {hwloc: {synthetic: 'core:2 pu:1'}, "
                             "link: {bandwidth: 12.5 MB/s, duplex: half}}}\n"
                             "switches: {s: {nodes: 'm[0-1]', class: dual}}\n",
                             "pair.yaml")
                             .value();
    ModelNetwork network;
    network.file_says_half = true;

    const Fitted fitted = fit(network, pair);

    EXPECT_EQ(fitted.ports[0].half_duplex, std::nullopt);
    EXPECT_TRUE(fitted.ports[0].port.half_duplex);
}

TEST(PortFit, APairThatDoesNotFillThePortTellsNothingOfHalfDuplex) {
    ModelNetwork network;
    network.slowest_block = 0.9;
    network.out_max = network.in_max = 36e6;  // three pairs fill it
    ModelNetwork half = network;
    half.both_factor = 1.0;

    EXPECT_EQ(fit(network).ports[0].half_duplex, std::nullopt);
    EXPECT_EQ(fit(half).ports[0].half_duplex, std::nullopt);
}

TEST(PortFit, FullDuplexTakesThePlaceOfWhatTheFileSays) {
    ModelNetwork network;
    network.file_says_half = true;

    EXPECT_EQ(fit(network).ports[0].half_duplex, false);
    EXPECT_FALSE(fit(network).ports[0].port.half_duplex);
}

TEST(PortFit, TheLimitsOfHalfAndFullDuplex) {
    const auto verdict = [](double both_factor, double slowest_block) {
        ModelNetwork network;
        network.both_factor = both_factor;
        network.slowest_block = slowest_block;
        return fit(network).ports[0].half_duplex;
    };
    EXPECT_EQ(verdict(1.24, 0.9), true);
    EXPECT_EQ(verdict(1.26, 0.9), std::nullopt);
    EXPECT_EQ(verdict(1.59, 0.9), std::nullopt);
    EXPECT_EQ(verdict(1.61, 0.9), false);
    EXPECT_EQ(verdict(1.0, 0.86), true);
    EXPECT_EQ(verdict(1.0, 0.84), std::nullopt);
}

TEST(PortFit, BesideOtherWorkNothingLooksLikeHalfDuplex) {
    ModelNetwork network;
    network.both_factor = 1.0;

    const MeasuredPort port = fit(network).ports[0];

    EXPECT_THAT(port.both_over_one.value(), DoubleNear(1.0, 0.05));
    EXPECT_EQ(port.half_duplex, std::nullopt);
}

TEST(PortFit, BetweenHalfAndFullDuplexTheFileDecides) {
    // 1.4 times as much in both directions: a CPU that is too slow for both gives such numbers.
    ModelNetwork network;
    network.both_factor = 1.4;
    ModelNetwork half = network;
    half.file_says_half = true;

    EXPECT_EQ(fit(network).ports[0].half_duplex, std::nullopt);
    EXPECT_FALSE(fit(network).ports[0].port.half_duplex);
    EXPECT_EQ(fit(half).ports[0].half_duplex, std::nullopt);
    EXPECT_TRUE(fit(half).ports[0].port.half_duplex);
}

TEST(PortFit, LacksWhatWasNotMeasured) {
    const Fitted fitted = fit({});

    const auto nothing = fit_ports(fitted.kinds, fitted.series, {});
    const std::vector<Measured> one{{0, 1, {50e-6}}, {99, 1, {1.0}}};
    const auto little = fit_ports(fitted.kinds, fitted.series, one);

    ASSERT_THAT(nothing, SizeIs(2));
    EXPECT_FALSE(nothing[0].measured());
    EXPECT_TRUE(nothing[0].port.out.bandwidth.unlimited());
    EXPECT_DOUBLE_EQ(little[0].latency_s.value, 50e-6);
    EXPECT_FALSE(little[0].max_out);
    EXPECT_FALSE(little[1].measured());
}

}  // namespace
}  // namespace commmap
