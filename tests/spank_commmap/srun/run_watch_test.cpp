// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/srun/run_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/history/record/run_shape.hpp"

namespace commmap::spank {
namespace {

const std::string planned = "placed 1f 2e 0.5 0.75 0.1 app build-id:0a";
const RunWatch::Launch launch = {{2, 2}, 1, {"./app", "-n", "4"}, ""};

RunWatch watched(const std::string& text) {
    RunWatch run;
    run.note_plan(text);
    run.begin(12, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    run.end();
    return run;
}

TEST(RunWatch, ARecordHasWhatWasPlannedAndHowLongItTook) {
    const auto record = watched(planned).record(launch);

    ASSERT_TRUE(record);
    EXPECT_TRUE(encode_record(*record));
    EXPECT_EQ(record->application_id, "build-id:0a");
    EXPECT_EQ(record->program, "app");
    EXPECT_EQ(record->num_ranks, 4U);
    EXPECT_EQ(record->num_nodes, 2U);
    EXPECT_EQ(record->shape, run_shape(launch.tasks_per_node, 1));
    EXPECT_EQ(record->arguments, arguments_digest(launch.words));
    EXPECT_EQ(record->run.launched_as, LaunchedAs::placed);
    EXPECT_EQ(record->run.basis, 0x1fU);
    EXPECT_EQ(record->run.placement, 0x2eU);
    EXPECT_EQ(record->run.predicted_s, 0.5);
    EXPECT_EQ(record->run.default_s, 0.75);
    EXPECT_EQ(record->run.error, 0.1);
    EXPECT_EQ(record->run.job, 12U);
    EXPECT_EQ(record->run.step, 3U);
    EXPECT_GE(record->run.wall_s, 0.002);
    EXPECT_LT(record->run.wall_s, 600.0);
}

TEST(RunWatch, ATagStandsForTheArguments) {
    EXPECT_EQ(watched(planned + "+large").record(launch)->arguments, 0U);
    RunWatch run;
    run.note_unplanned(LaunchedAs::profiled, "app");
    run.begin(12, 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    run.end();
    RunWatch::Launch tagged = launch;
    tagged.tag = "large";
    const auto record = run.record(tagged);
    EXPECT_EQ(record->arguments, 0U);
    EXPECT_EQ(record->application_id, "");
    EXPECT_EQ(record->run.launched_as, LaunchedAs::profiled);
    EXPECT_NE(run.record(launch)->arguments, 0U);
}

TEST(RunWatch, WhatDidNotRunLeavesNothing) {
    EXPECT_FALSE(watched("").record(launch));
    EXPECT_FALSE(watched("nonsense").record(launch));
    RunWatch run;
    EXPECT_FALSE(run.wanted());
    run.note_plan(planned);
    EXPECT_TRUE(run.wanted());
    EXPECT_EQ(run.text(), planned);
    EXPECT_FALSE(run.record(launch));
    run.end();  // has not begun
    EXPECT_FALSE(run.record(launch));
    run.begin(12, 3);
    EXPECT_FALSE(run.record(launch));
    run.note_plan("");  // left alone after all
    EXPECT_FALSE(run.wanted());
}

TEST(RunWatch, TellsWhatBecameOfThePrediction) {
    RunRecord record;
    record.run.wall_s = 0.55;
    EXPECT_EQ(outcome_text(record), "the step took 550 ms");
    record.run.predicted_s = 0.5;
    EXPECT_EQ(outcome_text(record), "the step took 550 ms, 500 ms were predicted (10.0 % longer)");
}

}  // namespace
}  // namespace commmap::spank
