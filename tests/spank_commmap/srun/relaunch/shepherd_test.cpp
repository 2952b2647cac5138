// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/relaunch/shepherd.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "spank_commmap/srun/relaunch/shepherd_process.hpp"

namespace commmap::spank {
namespace {

TEST(Shepherd, ItsPipeIsFoundAmongOthers) {
    EXPECT_EQ(shepherd_pipe(), std::nullopt);
    std::array<int, 2> both_ends{};
    ASSERT_EQ(::pipe(both_ends.data()), 0);  // the child has both too
    Shepherd shepherd;

    EXPECT_EQ(shepherd_pipe(), shepherd.pipe());

    ::close(both_ends[0]);
    ::close(both_ends[1]);
}

TEST(Shepherd, TwoAreOneTooMany) {
    Shepherd first;
    Shepherd second;
    EXPECT_EQ(shepherd_pipe(), std::nullopt);
}

TEST(Shepherd, IsDismissedWithOneByte) {
    Shepherd dismissed;
    dismiss_shepherd(dismissed.pipe());
    EXPECT_EQ(dismissed.end(), 7);
    Shepherd left;
    EXPECT_EQ(left.end(), 8);
}

}  // namespace
}  // namespace commmap::spank
