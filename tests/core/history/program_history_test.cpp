// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/program_history.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>

#include "core/history/records.hpp"
#include "core/history/store/history_codec.hpp"

namespace commmap {
namespace {

ProgramHistory empty_history() { return {"build-id:0a1b", 16}; }

TEST(ProgramHistory, ComparesOnlyWhatIsAlike) {
    ProgramHistory history = empty_history();
    RunRecord record = some_record(LaunchedAs::placed, 1.0, 0);
    history.add(record);
    record.shape = 70;
    history.add(record);
    record.arguments = 80;
    history.add(record);
    record.run.launched_as = LaunchedAs::kept;
    history.add(record);
    record.run.launched_as = LaunchedAs::placed;
    record.run.basis = 30;
    history.add(record);

    EXPECT_EQ(history.groups().size(), 3U);
    const RunGroup* const group = history.find(70, 80, RunClock::step);
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(group->by_default.runs.size(), 1U);
    EXPECT_EQ(group->placed.size(), 2U);
    EXPECT_NE(group->find(3), nullptr);
    EXPECT_NE(group->find(30), nullptr);
    EXPECT_EQ(group->find(31), nullptr);
    EXPECT_EQ(history.find(70, 9, RunClock::step), nullptr);
}

TEST(ProgramHistory, ARunCountsByEachClockThatHasItsTime) {
    ProgramHistory history = empty_history();
    for (std::uint32_t i = 0; i < 16; ++i) {
        RunRecord record = some_record(LaunchedAs::kept, 1.0 + 0.001 * i, 2 * i);
        record.mpi_s = 0.2 + 0.001 * i;
        EXPECT_TRUE(history.add(record));
        EXPECT_FALSE(history.add(record));
        history.add(some_record(LaunchedAs::placed, 1.01 + 0.001 * i, 2 * i + 1));
    }

    EXPECT_EQ(history.groups().size(), 2U);
    const RunGroup* const by_step = history.find(7, 8, RunClock::step);
    const RunGroup* const by_mpi = history.find(7, 8, RunClock::mpi);
    ASSERT_TRUE(by_step != nullptr && by_mpi != nullptr);
    EXPECT_EQ(by_step->by_default.runs.size(), 16U);
    EXPECT_EQ(by_step->by_default.wall_s().front(), 1.0);
    EXPECT_EQ(by_mpi->by_default.runs.size(), 16U);
    EXPECT_EQ(by_mpi->by_default.wall_s().front(), 0.2);
    EXPECT_FALSE(by_step->find(3)->reversal);  // five times as long as the others' other time
    EXPECT_EQ(by_mpi->find(3), nullptr);
}

TEST(ProgramHistory, TheOtherClockCostsNoGroupItsPlace) {
    ProgramHistory history = empty_history();
    for (std::uint32_t i = 0; i < 2 * ProgramHistory::most_groups; ++i) {
        RunRecord record = some_record(LaunchedAs::kept, 1.0, i);
        record.arguments = i;
        record.mpi_s = 0.5;
        history.add(record);
    }
    EXPECT_EQ(history.groups().size(), 2 * ProgramHistory::most_groups);
    for (const RunClock clock : {RunClock::step, RunClock::mpi}) {
        EXPECT_EQ(history.find(7, ProgramHistory::most_groups - 1, clock), nullptr);
        EXPECT_NE(history.find(7, ProgramHistory::most_groups, clock), nullptr);
    }
    const auto again = decode_history(encode_history(history));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again.value(), history);
}

TEST(ProgramHistory, EveryRunThatIsNotPlacedIsADefault) {
    ProgramHistory history = empty_history();
    std::uint32_t step = 0;
    for (const LaunchedAs way : {LaunchedAs::kept, LaunchedAs::profiled, LaunchedAs::off,
                                 LaunchedAs::explored, LaunchedAs::reversed})
        history.add(some_record(way, 1.0, step++));

    EXPECT_EQ(history.groups().front().by_default.num_runs(), 5U);
    EXPECT_TRUE(history.groups().front().placed.empty());
}

TEST(ProgramHistory, TheFirstWordOfACommandIsNoNameWhereOneIsKnown) {
    ProgramHistory history = empty_history();
    std::uint32_t step = 0;
    const auto add = [&](LaunchedAs way, const char* program) {
        RunRecord record = some_record(way, 1.0, step++);
        record.program = program;
        history.add(record);
        return history.program();
    };
    EXPECT_EQ(add(LaunchedAs::off, "numactl"), "numactl");
    EXPECT_EQ(add(LaunchedAs::placed, "app"), "app");
    EXPECT_EQ(add(LaunchedAs::off, "numactl"), "app");
    EXPECT_EQ(add(LaunchedAs::profiled, "numactl"), "app");
}

TEST(ProgramHistory, ARunCountsOnce) {
    ProgramHistory history = empty_history();
    EXPECT_TRUE(history.add(some_record(LaunchedAs::placed, 1.0, 1)));
    EXPECT_FALSE(history.add(some_record(LaunchedAs::placed, 1.0, 1)));
    EXPECT_TRUE(history.add(some_record(LaunchedAs::placed, 1.0, 2)));
    EXPECT_EQ(history.groups().front().placed.front().num_runs(), 2U);
}

TEST(ProgramHistory, TheDefaultComesBackForThatBasisAlone) {
    ProgramHistory history = empty_history();
    for (std::uint32_t i = 0; i < 16; ++i) {
        history.add(some_record(LaunchedAs::profiled, 1.0 + 0.001 * i, 2 * i));
        history.add(some_record(LaunchedAs::placed, 1.5 + 0.001 * i, 2 * i + 1));
    }
    RunRecord other = some_record(LaunchedAs::placed, 0.9, 40);
    other.run.basis = 5;
    history.add(other);

    const RunGroup& group = history.groups().front();
    const RunArm* const lost = group.find(3);
    ASSERT_TRUE(lost != nullptr && lost->reversal);
    EXPECT_NEAR(lost->reversal->slower_by, 0.5, 0.02);
    EXPECT_LE(lost->reversal->num_placed, 8U);  // and soon
    EXPECT_FALSE(group.find(5)->reversal);
    EXPECT_EQ(learnt_text(lost), "reversed");
    EXPECT_EQ(learnt_text(group.find(5)), "");
    EXPECT_EQ(learnt_text(nullptr), "");
}

TEST(ProgramHistory, FewerThanThreeDefaultRunsChangeNothing) {
    ProgramHistory history = empty_history();
    history.add(some_record(LaunchedAs::profiled, 1.0, 1000));
    history.add(some_record(LaunchedAs::profiled, 1.0, 1001));
    for (std::uint32_t i = 0; i < 500; ++i)
        history.add(some_record(LaunchedAs::placed, 5.0 + 0.001 * i, i));
    EXPECT_FALSE(history.groups().front().placed.front().reversal);
}

TEST(ProgramHistory, LearnsOfPredictionsSeldom) {
    ProgramHistory history = empty_history();
    std::string before;
    unsigned changes = 0;
    for (std::uint32_t i = 0; i < 100; ++i) {
        history.add(some_record(LaunchedAs::placed, 0.8 + 0.001 * i, i));
        const std::string now = learnt_text(&history.groups().front().placed.front());
        changes += now != before ? 1 : 0;
        before = now;
    }
    EXPECT_EQ(changes, 5U);  // at 4, 8, 16, 32, 64
    EXPECT_TRUE(before.starts_with("error 64 ")) << before;
}

TEST(ProgramHistory, LearnsOfGainsWhenTheDefaultHasRun) {
    ProgramHistory history = empty_history();
    for (std::uint32_t i = 0; i < 5; ++i)
        history.add(some_record(LaunchedAs::placed, 0.8 + 0.001 * i, i));
    const RunGroup& group = history.groups().front();
    EXPECT_FALSE(group.placed.front().error->gain);
    const std::string before = learnt_text(&group.placed.front());

    for (std::uint32_t i = 0; i < 3; ++i)
        history.add(some_record(LaunchedAs::kept, 1.0 + 0.001 * i, 100 + i));
    EXPECT_EQ(learnt_text(&group.placed.front()), before);
    history.add(some_record(LaunchedAs::kept, 1.0, 103));

    ASSERT_TRUE(group.placed.front().error->gain);
    EXPECT_EQ(group.placed.front().error->gain->num_default, 4U);
    EXPECT_NEAR(group.placed.front().error->gain->predicted, 1.25, 0.01);
    EXPECT_NEAR(group.placed.front().error->gain->measured, 1.25, 0.01);
    EXPECT_EQ(learnt_text(&group.placed.front()).find("gain"),
              std::string::npos);  // no plan hangs on it
}

/// The slow twin keeps everything.
TEST(ProgramHistory, KeepsTheLastRunsAndCountsTheRest) {
    std::mt19937 random(1);
    ProgramHistory history = empty_history();
    std::deque<PastRun> all;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const RunRecord record =
            some_record(LaunchedAs::off, 1.0 + static_cast<double>(random() % 1000) / 1e3, i);
        history.add(record);
        all.push_back(record.run);
    }
    const RunArm& arm = history.groups().front().by_default;
    EXPECT_EQ(arm.runs, std::vector<PastRun>(all.end() - RunArm::most_runs, all.end()));
    EXPECT_EQ(arm.num_runs(), 1000U);
}

TEST(ProgramHistory, AMillionRunsStaySmallAndFast) {
    std::mt19937 random(1);
    ProgramHistory history = empty_history();
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t i = 0; i < 1'000'000; ++i) {
        RunRecord record = some_record(random() % 2 == 0 ? LaunchedAs::placed : LaunchedAs::off,
                                       1.0 + static_cast<double>(random() % 1000) / 1e4, i);
        // some come once, and must not drive out those that come again
        record.shape = random() % 100 == 0 ? 100 + random() % 50 : random() % 28;
        record.run.basis = random() % 4;
        history.add(record);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

    EXPECT_EQ(history.groups().size(), ProgramHistory::most_groups);
    for (const RunGroup& group : history.groups()) {
        EXPECT_LE(group.placed.size(), RunGroup::most_bases);
        EXPECT_LE(group.by_default.runs.size(), RunArm::most_runs);
    }
    const std::string text = encode_history(history);
    EXPECT_LT(text.size(), std::size_t{1} << 20);
    EXPECT_EQ(decode_history(text).value(), history);
    std::printf("a million runs: %.2f s, %zu bytes\n", took.count(), text.size());
    EXPECT_LT(took.count(), 60.0);  // a microsecond each; the machine may be busy
}

}  // namespace
}  // namespace commmap
