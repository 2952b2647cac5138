// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/calibration/messages_by.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace commmap {
namespace {

TEST(MessagesBy, GrowsEvenlyBetweenTwoMessages) {
    const std::vector<double> times{0.2, 0.4, 1.0};

    EXPECT_DOUBLE_EQ(messages_by(times, 0.0), 0.0);
    EXPECT_DOUBLE_EQ(messages_by(times, 0.1), 0.5);
    EXPECT_DOUBLE_EQ(messages_by(times, 0.4), 2.0);
    EXPECT_DOUBLE_EQ(messages_by(times, 0.7), 2.5);
    EXPECT_DOUBLE_EQ(messages_by(times, 1.0), 3.0);
}

TEST(MessagesBy, IsNoMoreThanThereAre) {
    EXPECT_DOUBLE_EQ(messages_by(std::vector<double>{0.2}, 9.0), 1.0);
    EXPECT_DOUBLE_EQ(messages_by({}, 9.0), 0.0);
    EXPECT_DOUBLE_EQ(messages_by(std::vector<double>{0.2}, -1.0), 0.0);
}

TEST(MessagesBy, TakesMessagesThatCameAtOnce) {
    const std::vector<double> times{0.5, 0.5, 0.5};

    EXPECT_DOUBLE_EQ(messages_by(times, 0.25), 0.5);
    EXPECT_DOUBLE_EQ(messages_by(times, 0.5), 3.0);
}

}  // namespace
}  // namespace commmap
