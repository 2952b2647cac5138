// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Phases of a profile: the program names them with MPI_Pcontrol, or the recorder finds them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pmix_hooks/recorder_fixture.hpp"

namespace commmap {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Languages, RecorderByLanguage, testing::ValuesIn(languages),
                         language_alone);

/// Returns null where no phase has that label.
const Phase* phase_named(const Profile& profile, const std::string& label) {
    for (const Phase& phase : profile.phases)
        if (phase.label == label) return &phase;
    return nullptr;
}

/// Expects that in that phase every rank sent `times` messages of `bytes` to the next rank, and no
/// other message.
void expect_ring(const Profile& profile, const std::string& label, std::uint64_t entered,
                 std::uint64_t bytes, std::uint64_t times) {
    const Phase* phase = phase_named(profile, label);
    ASSERT_NE(phase, nullptr) << label;
    EXPECT_EQ(phase->entered, entered) << label;
    const auto num_ranks = static_cast<RankId>(profile.num_ranks());
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        const std::vector<TrafficCell> expected = {{(rank + 1) % num_ranks,
                                                    static_cast<std::uint32_t>(size_bucket(bytes)),
                                                    times, times * bytes}};
        EXPECT_THAT(phase->sent.sent_by(rank), ElementsAreArray(expected)) << label;
    }
}

TEST_P(RecorderByLanguage, LevelsOfPcontrolArePhases) {
    const Outcome outcome = record(3, GetParam() + std::string(" levels"));

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "", 0, 10, 2);
    expect_ring(recorded, "1", 2, 100, 3);
    expect_ring(recorded, "2", 1, 1000, 3);
    double wall = 0.0;
    double mpi = 0.0;
    for (const Phase& phase : recorded.phases) {
        EXPECT_GT(phase.wall_s, 0.0);
        EXPECT_GT(phase.mpi_s, 0.0);
        EXPECT_LE(phase.mpi_s, phase.wall_s);
        wall += phase.wall_s;
        mpi += phase.mpi_s;
    }
    // calls are counted where time is; the first barrier is MPI_Init's own
    for (const ProfileRank& rank : recorded.ranks) {
        ASSERT_EQ(recorded.call_names, (std::vector<std::string>{"MPI_Sendrecv"}));
        ASSERT_EQ(rank.calls.size(), 1u);
        EXPECT_EQ(rank.calls[0].count, 8u);
        EXPECT_NEAR(static_cast<double>(rank.calls[0].seconds), rank.mpi_s, 1e-6);
    }
    double wall_of_ranks = 0.0;
    double mpi_of_ranks = 0.0;
    for (const ProfileRank& rank : recorded.ranks) {
        wall_of_ranks += rank.wall_s / 3;
        mpi_of_ranks += rank.mpi_s / 3;
    }
    EXPECT_NEAR(wall, wall_of_ranks, 1e-9);
    EXPECT_NEAR(mpi, mpi_of_ranks, 1e-9);
}

TEST_F(RecorderTest, LabelsOfPcontrolArePhases) {
    for (const std::string program : {"traffic", "traffic_f77"}) {
        const Outcome outcome = record(3, program + " labels");

        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const Profile recorded = profile(3);
        ASSERT_EQ(recorded.phases.size(), 3u);
        expect_ring(recorded, "", 0, 10, 3);
        expect_ring(recorded, "solve", 3, 100, 6);
        expect_ring(recorded, "halo", 6, 1000, 6);
        const Phase& solve = *phase_named(recorded, "solve");
        ASSERT_EQ(solve.collectives.size(), 1u);
        EXPECT_EQ(solve.collectives[0].op, CollectiveOp::barrier);
        EXPECT_EQ(solve.collectives[0].calls, 3u);
        EXPECT_THAT(phase_named(recorded, "")->collectives, IsEmpty());
    }
}

TEST_F(RecorderTest, TakesNothingForALabelThatCannotBeOne) {
    const Outcome outcome = record(3, "traffic wild_labels");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "", 0, 10, 7);
    expect_ring(recorded, "1", 7, 100, 7);
    expect_ring(recorded, "fence", 1, 1000, 1);
}

/// An integer that another call left behind looks like a text of one letter.
TEST_F(RecorderTest, ALabelInFortranComesWithItsLength) {
    const Outcome outcome = record(3, "traffic fortran_labels");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "1", 2, 100, 2);
    expect_ring(recorded, "solve", 1, 1000, 1);
}

TEST_F(RecorderTest, LabelsThatNeverEndOrNeverBeganHarmNoOther) {
    const Outcome outcome = record(3, "traffic deep_labels");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    ASSERT_EQ(recorded.phases.size(), 3u);
    expect_ring(recorded, "io", 1, 1000, 1);
    expect_ring(recorded, "step", 40, 100, 1);
}

TEST_F(RecorderTest, ManyLabelsAreKeptAndTheRestAreOthers) {
    const Outcome outcome = record(3, "traffic many_phases");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(3);
    EXPECT_EQ(recorded.phases.size(), 64u);
    EXPECT_NE(phase_named(recorded, "(others)"), nullptr);
    const TrafficMatrix sent = whole_run(recorded).sent;
    for (RankId rank = 0; rank < 3; ++rank) EXPECT_EQ(sum_of(sent.sent_by(rank)).count, 5000u);
}

/// Returns which share of rank 0's messages to a peer is in one phase.
double share_of(const Profile& recorded, std::size_t phase, RankId peer) {
    double all = 0.0;
    double there = 0.0;
    for (const Phase& each : recorded.phases)
        for (const TrafficCell& cell : each.sent.sent_by(0)) {
            if (cell.peer != peer) continue;
            all += static_cast<double>(cell.count);
            if (&each == &recorded.phases[phase]) there += static_cast<double>(cell.count);
        }
    return there / all;
}

/// Slices with like patterns are one phase, wherever they are; and a phase of its own where a slice
/// has half of each pattern. @return what is not so
std::string wrong_with_slices(const Profile& recorded) {
    if (recorded.phases.size() < 2 || recorded.phases.size() > 4)
        return std::to_string(recorded.phases.size()) + " phases";
    std::size_t to_second = 1;
    for (std::size_t i = 2; i < recorded.phases.size(); ++i)
        if (share_of(recorded, i, 2) > share_of(recorded, to_second, 2)) to_second = i;
    if (share_of(recorded, 0, 1) <= 0.7 || share_of(recorded, to_second, 2) <= 0.5)
        return "a pattern is spread over phases";
    if (recorded.phases[0].times.size() < 2) return "the first pattern does not come again";
    return "";
}

TEST_F(RecorderTest, FindsPhasesFromTimeSlices) {
    // Ranks of a busy machine are out of step for longer than a slice.
    std::string wrong = "not run";
    for (int attempt = 0; attempt < 3 && !wrong.empty(); ++attempt) {
        if (attempt > 0) note_retry(wrong);
        const Outcome outcome = record(4, "traffic slices");
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const Profile recorded = profile(4);
        EXPECT_GT(recorded.slice_s, 0.0);
        // each rank sent as often: nothing is lost at a boundary
        const TrafficMatrix sent = whole_run(recorded).sent;
        for (RankId rank = 1; rank < 4; ++rank)
            EXPECT_EQ(sum_of(sent.sent_by(rank)).count, sum_of(sent.sent_by(0)).count);
        wrong = wrong_with_slices(recorded);
    }
    EXPECT_EQ(wrong, "");
}

/// A call is as long as it is: no phase has more time in MPI than there was.
TEST_F(RecorderTest, TimeInALongCallBelongsToTheSlicesThatItGoesThrough) {
    const Outcome outcome = record(4, "traffic long_call");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(4);
    double mpi = 0.0;
    for (const Phase& phase : recorded.phases) {
        EXPECT_LE(phase.mpi_s, phase.wall_s) << phase.times.size();
        mpi += phase.mpi_s;
    }
    EXPECT_GT(mpi, 1.0);  // three of four ranks wait for 0.9 and 0.6 s
    double of_ranks = 0.0;
    for (const ProfileRank& rank : recorded.ranks) of_ranks += rank.mpi_s / 4;
    EXPECT_NEAR(mpi, of_ranks, 1e-6);
}

TEST_F(RecorderTest, LosesNothingWhenThreadsSendWhileSlicesEnd) {
    const Outcome outcome = record(2, "traffic sliced_threads");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = profile(2);
    EXPECT_GT(recorded.slice_s, 0.0);
    const TrafficMatrix sent = whole_run(recorded).sent;
    for (RankId rank = 0; rank < 2; ++rank) {
        const TrafficSum sum = sum_of(sent.sent_by(rank));
        EXPECT_THAT(outcome.out, HasSubstr("sent " + std::to_string(rank) + " " +
                                           std::to_string(sum.count) + "\n"));
        EXPECT_EQ(sum.bytes, 3 * sum.count);
    }
    for (const Phase& phase : recorded.phases) EXPECT_LE(phase.mpi_s, phase.wall_s * 1.001);
}

}  // namespace
}  // namespace commmap
