// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/merge_runs.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/profile/format/profile_codec.hpp"
#include "core/profile/sample_profile.hpp"

namespace commmap {
namespace {

Profile sample_run() {
    Profile profile = sample_profile();
    profile.runs = 1;
    profile.slice_s = 0.0;  // its phase has a name
    return profile;
}

TEST(MergeRuns, TheSameRunAgainChangesNothing) {
    const Profile merged = merge_runs({sample_run(), sample_run()});

    Profile expected = sample_run();
    expected.runs = 2;
    std::swap(expected.phases[0].collectives[0], expected.phases[0].collectives[1]);  // in order
    EXPECT_TRUE(merged == expected);
}

TEST(MergeRuns, IsTheMean) {
    Profile other = sample_run();
    other.job_id = 1;
    other.ranks[0].wall_s += 1.0;
    other.phases[0].rank_times[1] = {2.0F, 1.5F};  // and 1.0, 0.5
    other.ranks[0].calls[0].count = 7;             // and 4
    other.ranks[0].calls[1].bytes = 8192;          // and 4096
    other.ranks[0].waits = {{0, 1.5F, 5}};         // and 0.5 s in 3 calls, and one for rank 2
    other.phases[0].sent = TrafficMatrix({{{1, 0, 2, 100}, {2, 1, 2, 100}}, {{0, 3, 1, 200}}, {}});
    other.phases[0].collectives[0].calls = 8;  // and 5

    const Profile merged = merge_runs({sample_run(), other});

    EXPECT_EQ(merged.job_id, 42u);
    EXPECT_DOUBLE_EQ(merged.ranks[0].wall_s, 2.0);
    EXPECT_EQ(merged.phases[0].rank_times[1], (PhaseTime{1.5F, 1.0F}));
    EXPECT_EQ(merged.ranks[0].calls[0].count, 6u);  // 5.5
    EXPECT_EQ(merged.ranks[0].calls[1].bytes, 6144u);
    EXPECT_EQ(merged.ranks[0].waits, (std::vector<PeerWait>{{0, 1.0F, 4}, {2, 0.0F, 1}}));
    const TrafficMatrix& sent = merged.phases[0].sent;
    const std::vector<TrafficCell> from_0(sent.sent_by(0).begin(), sent.sent_by(0).end());
    EXPECT_EQ(from_0, (std::vector<TrafficCell>{{1, 0, 3, 50},  // 2.5 messages
                                                {1, 12, 1, std::uint64_t{1} << 39},
                                                {2, 1, 2, 100}}));
    ASSERT_EQ(sent.sent_by(1).size(), 1u);
    EXPECT_EQ(sent.sent_by(1)[0], (TrafficCell{0, 3, 1, 100}));  // never none
    EXPECT_EQ(merged.phases[0].collectives[0].op, CollectiveOp::alltoall);
    EXPECT_EQ(merged.phases[0].collectives[1].calls, 7u);  // 6.5
}

TEST(MergeRuns, WaitsAreOfRunsThatAllHaveThem) {
    Profile older = sample_run();
    for (ProfileRank& rank : older.ranks) rank.waits.clear();

    for (const ProfileRank& rank : merge_runs({sample_run(), older}).ranks)
        EXPECT_TRUE(rank.waits.empty());
}

TEST(MergeRuns, AMeanWeighsAsMuchAsItHasRuns) {
    Profile three = sample_run();
    three.runs = 3;
    Profile one = sample_run();
    one.ranks[0].wall_s = three.ranks[0].wall_s + 4.0;

    const Profile merged = merge_runs({three, one});

    EXPECT_EQ(merged.runs, 4u);
    EXPECT_DOUBLE_EQ(merged.ranks[0].wall_s, three.ranks[0].wall_s + 1.0);
}

TEST(MergeRuns, NothingGoesOver) {
    Profile profile = sample_run();
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    profile.phases[0].sent = TrafficMatrix({{{1, 12, largest, largest}}, {}, {}});
    profile.runs = max_profile_runs;

    const Profile merged = merge_runs({profile, profile, profile});

    EXPECT_EQ(merged.phases[0].sent.sent_by(0)[0], (TrafficCell{1, 12, largest, largest}));
    EXPECT_EQ(merged.runs, max_profile_runs);
    EXPECT_TRUE(decode_profile(encode_profile(merged)));
}

TEST(MergeRuns, CommunicatorsAreMatchedByTheirMembers) {
    Profile other = sample_run();
    std::swap(other.communicators[0], other.communicators[1]);
    for (CollectiveRecord& record : other.phases[0].collectives)
        record.communicator = 1 - record.communicator;
    other.communicators.push_back({1});

    const Profile merged = merge_runs({sample_run(), other});

    EXPECT_EQ(merged.communicators, (std::vector<std::vector<RankId>>{{0, 1, 2}, {2, 0}, {1}}));
    EXPECT_TRUE(merged.phases == merge_runs({sample_run(), sample_run()}).phases);
}

TEST(MergeRuns, PhasesAreMatchedByTheirNames) {
    Profile first = sample_run();
    first.phases.push_back(first.phases[0]);
    first.phases[1].label = "fft";
    Profile second = sample_run();
    second.phases.insert(second.phases.begin(), second.phases[0]);
    second.phases[0].label = "";

    const Profile merged = merge_runs({first, second});

    ASSERT_EQ(merged.phases.size(), 3u);
    EXPECT_EQ(merged.phases[0].label, "solve");
    EXPECT_DOUBLE_EQ(merged.phases[0].wall_s, 1.25);
    EXPECT_EQ(merged.phases[1].label, "fft");
    EXPECT_DOUBLE_EQ(merged.phases[1].wall_s, 0.625);  // not in the second
    EXPECT_EQ(merged.phases[1].rank_times[0], (PhaseTime{0.625F, 0.125F}));
    EXPECT_EQ(merged.phases[2].label, "");
}

TEST(MergeRuns, OtherSlicesMakeOnePhase) {
    Profile first = sample_run();
    first.slice_s = 0.25;
    Profile second = first;
    second.phases.push_back(second.phases[0]);

    const Profile merged = merge_runs({first, second});

    ASSERT_EQ(merged.phases.size(), 1u);
    EXPECT_EQ(merged.slice_s, 0.0);
    EXPECT_DOUBLE_EQ(merged.phases[0].wall_s, 1.5 * 1.25);
    EXPECT_EQ(merged.phases[0].sent.sent_by(0)[2], (TrafficCell{2, 1, 3, 150}));
}

TEST(MergeRuns, PartialWhereOneIs) {
    Profile partial = sample_run();
    partial.complete = false;
    partial.missing = {2};

    const Profile merged = merge_runs({sample_run(), partial, partial});

    EXPECT_FALSE(merged.complete);
    EXPECT_EQ(merged.missing, std::vector<RankId>{2});
}

}  // namespace
}  // namespace commmap
