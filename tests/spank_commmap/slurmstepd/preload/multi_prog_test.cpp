// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/multi_prog.hpp"

#include <gtest/gtest.h>

namespace commmap::spank {
namespace {

using Words = std::vector<std::string>;

TEST(MultiProg, FindsTheLineOfATask) {
    const Words step = {"set.conf",
                        "# ranks program\n"
                        "0-3,8  ./ocean -n 2 # coupled\n"
                        "\t4 'a dir/ice' \"x y\"\n"
                        "* ./atmosphere\n"};
    EXPECT_EQ(multi_prog_words(step, 0), (Words{"./ocean", "-n", "2"}));
    EXPECT_EQ(multi_prog_words(step, 8), (Words{"./ocean", "-n", "2"}));
    EXPECT_EQ(multi_prog_words(step, 4), (Words{"a dir/ice", "x y"}));
    EXPECT_EQ(multi_prog_words(step, 7), (Words{"./atmosphere"}));
}

TEST(MultiProg, OtherCommandsAreNone) {
    for (const Words& step : {Words{}, Words{"./app"}, Words{"./app", "-x"},
                              Words{"./app", "in.melt"}, Words{"./app", "4"}, Words{"./app", ""},
                              Words{"conf", "0 ./ocean\nx ./ice\n"}, Words{"conf", "0-1 ./ocean"}})
        EXPECT_EQ(multi_prog_words(step, 5), Words{}) << (step.empty() ? "" : step.back());
}

}  // namespace
}  // namespace commmap::spank
