// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/topology/bandwidth_curve.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace commmap {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(BandwidthCurve, IsUnlimitedWithoutPoints) {
    const BandwidthCurve curve;

    EXPECT_TRUE(curve.unlimited());
    EXPECT_EQ(curve.at(1024), infinity);
    EXPECT_EQ(curve.highest(), infinity);
}

TEST(BandwidthCurve, IsConstantWithOneValue) {
    const BandwidthCurve curve(100e6);

    EXPECT_FALSE(curve.unlimited());
    for (const double length : {0.0, 0.5, 1.0, 1e3, 1e12, 1e300})
        EXPECT_EQ(curve.at(length), 100e6);
    EXPECT_EQ(curve.highest(), 100e6);
}

TEST(BandwidthCurve, IsLinearInTheLogarithmOfTheLength) {
    // 2^10 -> 20, 2^16 -> 80: 10 for each doubling. The points come in the wrong order.
    const BandwidthCurve curve({{65536, 80.0}, {1024, 20.0}});

    EXPECT_DOUBLE_EQ(curve.at(2048), 30.0);
    EXPECT_DOUBLE_EQ(curve.at(8192), 50.0);
    EXPECT_DOUBLE_EQ(curve.at(65536), 80.0);
}

TEST(BandwidthCurve, IsConstantOutsideItsPoints) {
    const BandwidthCurve curve({{1024, 20.0}, {65536, 80.0}});

    EXPECT_EQ(curve.at(0), 20.0);
    EXPECT_EQ(curve.at(1024), 20.0);
    EXPECT_EQ(curve.at(1e9), 80.0);
}

TEST(BandwidthCurve, MayFallWithTheLength) {
    // Fig. 1 of the paper: the rendezvous protocol makes long messages slower than 64 KiB ones.
    const BandwidthCurve curve({{1, 10.0}, {65536, 90.0}, {131072, 50.0}});

    EXPECT_EQ(curve.highest(), 90.0);
    EXPECT_DOUBLE_EQ(curve.at(1e6), 50.0);
}

TEST(BandwidthCurve, HoldsLengthsThatDifferOnlyBeyondDoublePrecision) {
    const std::uint64_t length = std::uint64_t{1} << 62U;
    const BandwidthCurve curve({{length, 10.0}, {length + 1, 20.0}});

    EXPECT_EQ(curve.at(static_cast<double>(length)), 20.0);
    EXPECT_EQ(curve.at(1.0), 10.0);
}

TEST(Channel, MessageTimeIsLatencyPlusLengthOverBandwidth) {
    const Channel channel{BandwidthCurve(1e6), 500.0, 1e6};

    EXPECT_DOUBLE_EQ(channel.message_time_s(1000), 1e-3 + 500e-9);
    EXPECT_DOUBLE_EQ(channel.message_time_s(0), 500e-9);
}

TEST(Channel, MessagesOfOneRoundTakeGapsBehindTheFirst) {
    const Channel channel{BandwidthCurve(1e6), 500.0, 1e6, 100.0};

    EXPECT_NEAR(channel.messages_time_s(6, 2, 1000), 6e-3 + 2 * 500e-9 + 4 * 100e-9, 1e-15);
    EXPECT_EQ(channel.messages_time_s(6, 6, 1000), 6 * channel.message_time_s(1000));
}

TEST(Channel, UnlimitedChannelTakesItsLatency) {
    const Channel channel{{}, 60e3, infinity};

    EXPECT_DOUBLE_EQ(channel.message_time_s(1e12), 60e-6);
}

}  // namespace
}  // namespace commmap
