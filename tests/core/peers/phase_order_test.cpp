// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/peers/phase_order.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

Phase named(const std::string& label, std::uint64_t entered = 1) {
    Phase phase;
    phase.label = label;
    phase.entered = entered;
    return phase;
}

Phase at(std::vector<TimeRange> times) {
    Phase phase;
    phase.times = std::move(times);
    return phase;
}

TEST(PhaseOrder, OfTimeSlicesIsThatOfTheirTimes) {
    Profile profile;
    profile.phases = {at({{0, 1}, {2, 3}}), at({{1, 2}, {4, 5}}), at({{3, 4}})};

    const PhaseOrder order = order_of(profile);

    EXPECT_EQ(order.sequence, (std::vector<std::size_t>{0, 1, 0, 2, 1}));
    EXPECT_EQ(order.begins, (std::vector<std::uint64_t>{2, 2, 1}));
    EXPECT_TRUE(order.is_known);
}

TEST(PhaseOrder, OfNamesIsKnownWhereNoneComesAgain) {
    Profile profile;
    profile.phases = {named("", 0), named("a"), named("b")};
    EXPECT_TRUE(order_of(profile).is_known);

    profile.phases[1].entered = 3;
    const PhaseOrder order = order_of(profile);

    EXPECT_FALSE(order.is_known);
    EXPECT_EQ(order.sequence, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(order.begins, (std::vector<std::uint64_t>{1, 3, 1}));
}

using Matches = std::vector<std::optional<std::size_t>>;

TEST(MatchedPhases, GoByNameAndThenByPosition) {
    const std::vector<Phase> phases = {named("init"), named("solve"), named("output")};
    const std::vector<Phase> others = {named("solve"), named("init"), named("write")};

    EXPECT_EQ(matched_phases(phases, others), (Matches{1, 0, 2}));
}

TEST(MatchedPhases, APhaseIsNoMatchTwice) {
    // "a" has no phase of its name, and the one at its position is taken by its name.
    const std::vector<Phase> phases = {named("a"), named("b"), named("c")};
    const std::vector<Phase> others = {named("b"), named("x")};

    EXPECT_EQ(matched_phases(phases, others), (Matches{std::nullopt, 0, std::nullopt}));
}

TEST(MatchedPhases, TimeSlicesHaveNoNames) {
    const std::vector<Phase> phases = {at({}), at({}), at({})};
    const std::vector<Phase> others = {at({}), at({})};

    EXPECT_EQ(matched_phases(phases, others), (Matches{0, 1, std::nullopt}));
    EXPECT_EQ(matched_phases(others, phases), (Matches{0, 1}));
}

}  // namespace
}  // namespace commmap
