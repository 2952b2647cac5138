// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/switch_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace commmap {
namespace {

using testing::DoubleNear;

/// Two pairs below one switch: series 0 is of one pair alone, series 1 of both.
class SwitchFit : public testing::Test {
protected:
    SwitchFit() {
        kinds.resize(1);
        kinds[0].senders = {0, 1};
        kinds[0].receivers = {2, 3};
        series.resize(2);
        for (Series& one : series) {
            one.switch_kind = 0;
            one.pattern = MeasuringPattern::together;
        }
        series[0].senders = {0};
        series[1].senders = {0, 1};
    }

    void add(std::uint32_t of_series, std::uint32_t pair, std::vector<double> blocks,
             std::uint64_t length = 65536) {
        measured.push_back({of_series, length, std::move(blocks), pair});
    }
    /// Blocks of 12 MB/s times each share.
    static std::vector<double> shares(std::initializer_list<double> of) {
        std::vector<double> blocks;
        for (const double share : of) blocks.push_back(share * 12e6);
        return blocks;
    }
    MeasuredSwitch fitted() const { return fit_switches(kinds, series, measured).at(0); }

    std::vector<SwitchKind> kinds;
    std::vector<Series> series;
    std::vector<Measured> measured;
};

TEST_F(SwitchFit, FindsALimitOfAllPairs) {
    add(0, 0, shares({1, 0.99, 1}));
    add(1, 0, shares({0.7, 0.72, 0.71}));
    add(1, 1, shares({0.6, 0.58, 0.59}));

    const MeasuredSwitch found = fitted();

    EXPECT_TRUE(found.is_limit);
    EXPECT_THAT(found.together.value().value, DoubleNear(1.3 * 12e6, 1));
    EXPECT_THAT(found.alone.value().value, DoubleNear(12e6, 1));
    EXPECT_THAT(found.alone.value().spread, DoubleNear(0.01, 1e-9));
}

TEST_F(SwitchFit, TakesTheMedianAndNotALuckyBlock) {
    add(0, 0, shares({1, 1, 1}));
    add(1, 0, shares({0.7, 0.7, 0.75}));
    add(1, 1, shares({0.6, 0.6, 0.7}));

    EXPECT_THAT(fitted().together.value().value, DoubleNear(1.3 * 12e6, 1));
    EXPECT_TRUE(fitted().is_limit);
}

TEST_F(SwitchFit, FindsNoLimitWhereEachPairGetsItsOwn) {
    add(0, 0, shares({1, 1, 1}));
    add(1, 0, shares({0.88, 0.88, 0.88}));
    add(1, 1, shares({0.88, 0.88, 0.88}));

    EXPECT_TRUE(fitted().measured());
    EXPECT_FALSE(fitted().is_limit) << "a little less for all is no limit";
}

TEST_F(SwitchFit, TakesASlowNodeForNoLimit) {
    add(0, 0, shares({1, 1, 1}));
    add(1, 0, shares({1, 1, 1}));
    add(1, 1, shares({0.4, 0.4, 0.4}));

    EXPECT_FALSE(fitted().is_limit);
}

TEST_F(SwitchFit, TakesMostNodesThatAreSlowForNoLimit) {
    series[1].senders = {0, 1, 2};
    add(0, 0, shares({1, 1, 1}));
    add(1, 0, shares({0.95, 0.95, 0.95}));
    add(1, 1, shares({0.5, 0.5, 0.5}));
    add(1, 2, shares({0.5, 0.5, 0.5}));
    EXPECT_FALSE(fitted().is_limit) << "the first pair gets what it gets alone";

    measured[1].blocks = shares({0.8, 0.8, 0.8});
    EXPECT_TRUE(fitted().is_limit);
}

TEST_F(SwitchFit, NeedsMoreThanHalfOfThePairs) {
    series[1].senders = {0, 1, 2, 3};
    add(0, 0, shares({1}));
    for (const std::uint32_t pair : {0U, 1U}) add(1, pair, shares({0.5}));
    for (const std::uint32_t pair : {2U, 3U}) add(1, pair, shares({0.95}));
    EXPECT_FALSE(fitted().is_limit);

    measured.back().blocks = shares({0.85});
    EXPECT_TRUE(fitted().is_limit);
}

TEST_F(SwitchFit, CountsASteadyLengthBeforeOthers) {
    add(0, 0, shares({1, 1, 1}));
    add(1, 0, shares({0.8, 0.7, 0.66}));
    add(1, 1, shares({0.7, 0.6, 0.54}));
    for (const std::uint32_t of_series : {0U, 1U}) {
        add(of_series, 0, shares({of_series == 0 ? 1.0 : 0.65}), 1 << 20);
    }
    add(1, 1, shares({0.6}), 1 << 20);

    EXPECT_TRUE(fitted().is_limit);
    EXPECT_THAT(fitted().together.value().value, DoubleNear(1.25 * 12e6, 1));
}

TEST_F(SwitchFit, TakesOtherLoadForNoLimit) {
    add(0, 0, shares({1, 1, 1}));
    add(1, 0, shares({0.7, 0.5, 0.7}));
    add(1, 1, shares({0.6, 0.5, 0.6}));
    EXPECT_FALSE(fitted().is_limit) << "together";

    measured.clear();
    add(0, 0, shares({1, 0.8, 1}));
    add(1, 0, shares({0.7, 0.7, 0.7}));
    add(1, 1, shares({0.6, 0.6, 0.6}));
    EXPECT_FALSE(fitted().is_limit) << "alone";
}

TEST_F(SwitchFit, CountsTheLengthWithWhichPairsGetTheMost) {
    add(0, 0, shares({0.5, 0.5, 0.5}));
    add(1, 0, shares({0.4, 0.4, 0.4}));
    add(1, 1, shares({0.4, 0.4, 0.4}));
    for (const std::uint32_t of_series : {0U, 1U}) {
        add(of_series, 0, shares({of_series == 0 ? 1.0 : 0.65}), 1 << 20);
    }
    add(1, 1, shares({0.6}), 1 << 20);

    EXPECT_TRUE(fitted().is_limit);
    EXPECT_THAT(fitted().together.value().value, DoubleNear(1.25 * 12e6, 1));
}

TEST_F(SwitchFit, NeedsEachPairOnceAndWhole) {
    const auto with = [&](std::uint32_t pair, std::vector<double> blocks) {
        measured.clear();
        add(0, 0, shares({1, 1}));
        add(1, 0, shares({0.6, 0.6}));
        add(1, pair, std::move(blocks));
        return fitted().measured();
    };
    EXPECT_TRUE(with(1, shares({0.6, 0.6})));
    EXPECT_FALSE(with(0, shares({0.6, 0.6}))) << "the first pair again";
    EXPECT_FALSE(with(2, shares({0.6, 0.6}))) << "a pair that the series lacks";
    EXPECT_FALSE(with(no_id, shares({0.6, 0.6}))) << "of all pairs";
    EXPECT_FALSE(with(1, shares({0.6}))) << "a block is missing";
    EXPECT_FALSE(with(1, {})) << "all blocks are missing";
    EXPECT_FALSE(with(1, {1e6, HUGE_VAL})) << "not finite";
    EXPECT_FALSE(with(1, {1e6, 0.0})) << "no rate";
}

TEST_F(SwitchFit, NeedsBothSeries) {
    add(1, 0, shares({0.6}));
    add(1, 1, shares({0.6}));
    EXPECT_FALSE(fitted().measured());
}

TEST_F(SwitchFit, LeavesOutSeriesOfOtherThings) {
    series[0].switch_kind = no_id;
    add(0, 0, shares({1}));
    add(1, 0, shares({0.6}));
    add(1, 1, shares({0.6}));
    add(7, 0, shares({1}));
    EXPECT_FALSE(fitted().measured());
}

}  // namespace
}  // namespace commmap
