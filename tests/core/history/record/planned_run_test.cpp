// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/planned_run.hpp"

#include <gtest/gtest.h>

#include <string>

namespace commmap {
namespace {

TEST(PlannedRun, IsReadAsItWasWritten) {
    for (const LaunchedAs way :
         {LaunchedAs::placed, LaunchedAs::kept, LaunchedAs::explored, LaunchedAs::reversed}) {
        const PlannedRun run{way, UINT64_MAX, 0, 0.1, 1e-9, 0.25, "app", "build-id:0a+large"};
        EXPECT_EQ(parse_planned_run(format_planned_run(run)), run);
    }
}

TEST(PlannedRun, ANameIsOneWord) {
    PlannedRun run{LaunchedAs::placed, 1, 2, 0, 0, 0, std::string(100, 'x') + "a b\n", "id"};
    const auto again = parse_planned_run(format_planned_run(run));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->program, std::string(60, 'x') + "a_b_");
    run.program.clear();
    EXPECT_EQ(parse_planned_run(format_planned_run(run))->program, "_");
}

TEST(PlannedRun, NonsenseIsNone) {
    for (const char* text :
         {"", "placed", "placed 1 2 0.5 0.6 0.1 app", "placed 1 2 0.5 0.6 0.1 app id more",
          "lost 1 2 0.5 0.6 0.1 app id", "placed x 2 0.5 0.6 0.1 app id",
          "placed 1 2 nan 0.6 0.1 app id", "placed 1 2 inf 0.6 0.1 app id",
          "placed 1 2 -1 0.6 0.1 app id", "placed 1 2 0.5 0.6 0.1  id",
          "placed 1 2 0.5 0.6 0.1 app i\nd", "placed 10000000000000000 2 0.5 0.6 0.1 app id"})
        EXPECT_FALSE(parse_planned_run(text)) << text;
    EXPECT_FALSE(parse_planned_run("placed 1 2 0.5 0.6 0.1 " + std::string(65, 'x') + " id"));
    EXPECT_TRUE(parse_planned_run("placed 1 2 0.5 0.6 0.1 app id"));
}

}  // namespace
}  // namespace commmap
