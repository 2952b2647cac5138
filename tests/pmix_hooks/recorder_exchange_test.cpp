// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// The ranks find each other, decide whether all take part, and hand their records to rank 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "core/profile/recording/rank_record_codec.hpp"
#include "core/profile/recording/record_state.hpp"
#include "pmix_hooks/exchange/participation.hpp"
#include "pmix_hooks/recorder_fixture.hpp"
#include "support/retries.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(RecorderTest, RecordsNothingWhenARankLacksTheRecorder) {
    const std::string recorder = "-x LD_PRELOAD=" + library +
                                 " -x COMMMAP_RECORD=1 -x COMMMAP_APP_ID=test:app "
                                 "-x COMMMAP_PROFILE_DIR=" +
                                 profiles_.string() + " ";
    const std::string with = " " + recorder + programs + "/traffic sends ";
    const std::string without = " " + programs + "/traffic sends ";
    const std::string not_asked =
        " " + recorder + "-x COMMMAP_RECORD=0 " + programs + "/traffic sends ";
    const std::string start = mpirun_words() + "--mca btl self,vader -np 1";
    struct Case {
        std::string rest;
        int missing;
    };
    for (const Case& c :
         {Case{with + ": -np 2" + without + ": -np 1" + with, 1},
          Case{without + ": -np 2" + with, 0}, Case{with + ": -np 1" + not_asked, 1}}) {
        const Outcome outcome = run_shell(start + c.rest);

        EXPECT_EQ(outcome.exit_code, 0) << c.rest;
        EXPECT_THAT(outcome.err, testing::StartsWith("commmap: not recorded: rank " +
                                                     std::to_string(c.missing) + " "))
            << c.rest;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_THAT(files(), IsEmpty());
    }
}

/// One node's 128 ranks of a large job, with stand-ins for PMIx and MPI.
class LargeJob : public RecorderTest {
protected:
    static constexpr int ranks_on_node = 128;
    /// @param arguments  of large_job
    /// @param apart      as in a step of more than most_ranks_asked tasks
    Outcome run_large(const std::string& arguments, bool apart) {
        return run_shell("LD_PRELOAD=" + library + " COMMMAP_RECORD=1 " + record_apart_variable +
                         "=" + (apart ? "1 " : "0 ") + programs + "/large_job " + arguments);
    }
};

TEST_F(LargeJob, AsksForEachRankTwiceUpToTheLimit) {
    // After MPI_Init and at the end, by one rank of the node. Each other rank asks whether that one
    // has the recorder, and for what that one has found.
    constexpr unsigned most = 2 * (most_ranks_asked + 2 * ranks_on_node);
    int recorded = 0;
    unsigned questions = most + 1;
    for (int attempt = 0; attempt < 2 && questions > most; ++attempt) {
        // On a busy machine the others may ask for themselves, for they wait 5 s at most.
        if (attempt > 0) note_retry("128 ranks asked for themselves");
        const Outcome outcome = run_large(std::to_string(most_ranks_asked), false);
        ASSERT_EQ(
            std::sscanf(outcome.out.c_str(), "%d recorded, %u questions", &recorded, &questions), 2)
            << outcome.out;
        EXPECT_EQ(recorded, ranks_on_node) << outcome.err;
        EXPECT_THAT(outcome.err, IsEmpty());
    }
    EXPECT_GE(questions, 2 * most_ranks_asked);
    EXPECT_LE(questions, most);
}

TEST_F(LargeJob, AsksNothingAboveTheLimit) {
    const Outcome outcome = run_large("131072", true);
    EXPECT_EQ(outcome.out, "128 recorded, 0 questions\n");
    EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(LargeJob, DoesNotWaitForARankWithoutMemoryAboveTheLimit) {
    const Outcome outcome = run_large("131072 1", true);
    EXPECT_EQ(outcome.out, "127 recorded, 0 questions\n");
    EXPECT_THAT(outcome.err, testing::StartsWith("commmap: not recorded: in a step of so many "
                                                 "tasks a rank needs memory from slurmstepd"));
}

/// Few ranks look each other up when they get to their end, which these never do.
TEST_F(RecorderTest, ManyRanksLookEachOtherUpAfterMpiInit) {
    for (const int n : {3, 24}) {
        const Outcome outcome = record(1, "traffic exit_together : -np " + std::to_string(n - 1) +
                                              " " + programs + "/traffic exit_together");
        EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
        EXPECT_EQ(
            outcome.err.find("commmap: not recorded: rank 1 runs without") == std::string::npos,
            n == 3)
            << outcome.err;
    }
}

TEST_F(RecorderTest, RecordsManyRanks) {
    for (const std::string shares : {"", "-x PMIX_MCA_gds=hash"}) {
        ASSERT_EQ(record(24, "traffic sends", shares).exit_code, 0) << shares;
        EXPECT_EQ(profile(24).num_ranks(), 24u);
        fs::remove_all(profiles_);
    }
}

TEST_F(RecorderTest, AsksTheServerWherePmixSharesNoMemory) {
    const Outcome outcome = record(3, "traffic sends", "-x PMIX_MCA_gds=hash");

    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(profile(3).num_ranks(), 3u);
}

TEST_F(RecorderTest, RecordsNothingWhereMpiDoesNotTellEverybodyOfEverybody) {
    const Outcome outcome = record(3, "traffic sends", "--mca pmix_base_collect_data 0");

    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err,
                testing::StartsWith("commmap: not recorded: the MPI library does not"));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, IsOfTheJobStepNotOfWhatItsRanksStart) {
    const Outcome children = record(1, "traffic children");
    fs::remove_all(profiles_);
    const std::string in_step = "-x SLURM_STEP_NUM_TASKS=4 -x SLURM_PROCID=";
    const Outcome other_world = record(2, "traffic sends", in_step + "0");
    const Outcome of_another_task = record(2, "traffic sends", in_step + "3");

    EXPECT_THAT(children.out, HasSubstr("children see 0\n"));
    EXPECT_EQ(other_world.exit_code, 0);
    EXPECT_THAT(
        other_world.err,
        testing::StartsWith("commmap: not recorded: MPI_COMM_WORLD has 2 ranks, the job step 4"));
    EXPECT_EQ(std::count(other_world.err.begin(), other_world.err.end(), '\n'), 1);
    EXPECT_EQ(of_another_task.exit_code, 0);
    EXPECT_THAT(of_another_task.err, IsEmpty());
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(RecorderTest, SaysThatSpawnedProcessesAreNotRecorded) {
    transports_ = "self,vader,tcp --mca btl_tcp_if_include lo";  // shared memory is of one job
    const Outcome outcome = record(2, "spawn");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "all answered\n");
    EXPECT_THAT(outcome.err, HasSubstr("not recorded: processes that MPI_Comm_spawn starts"));
    const Profile recorded = as_one_phase(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        Cells expected;
        add(expected, 1 - static_cast<int>(rank), 4);
        EXPECT_EQ(cells_of(recorded, rank), expected) << rank;
    }
}

TEST_F(RecorderTest, LearnsItsNodeFromPmix) {
    char host[256] = "";
    ::gethostname(host, sizeof host);

    const Outcome outcome = mpirun(1, "where");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "before '' " + std::to_string(no_id) + "\nafter '" + host + "' 0\n");
}

/// Of the PMIx of this machine: the lists of ranks and the keys are as they are expected.
TEST_F(RecorderTest, RanksOfANodeKnowTheLowestThatHasAKey) {
    EXPECT_EQ(mpirun(4, "leaving_check speaker").exit_code, 0);
}

TEST_F(RecorderTest, HandsShortRecordsOver) {
    for (const std::string way : {"short", "long", "one_long", "root_long", "empty"})
        for (const int n : {1, 2, 5})
            EXPECT_EQ(mpirun(n, "leaving_check " + way).exit_code, 0) << n << " ranks, " << way;
}

/// Short records travel with the answers of the ranks, long ones over a communicator.
TEST_F(RecorderTest, GathersShortAndLongRecords) {
    struct Case {
        int ranks;
        int every;  // rank `every` - 1, 2 * `every` - 1, ... send to everybody
    };
    for (const auto [n, every] : {Case{3, 1}, Case{20, 1}, Case{20, 3}, Case{20, 20}}) {
        const std::string program = "traffic everybody 9 " + std::to_string(every);
        SCOPED_TRACE(program + ", " + std::to_string(n) + " ranks");
        ASSERT_EQ(record(n, program).exit_code, 0);
        const Profile recorded = as_one_phase(n);
        for (int r = 0; r < n; ++r) {
            Cells expected;
            for (int to = 0; r % every == every - 1 && to < n; ++to)
                for (int bytes = 1; to != r && bytes <= 1 << 16; bytes *= 4)
                    add(expected, to, bytes);
            EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << r;
        }
        RankRecord record;
        const auto sent = recorded.phases[0].sent.sent_by(static_cast<RankId>(every - 1));
        record.sections.emplace_back().sent.assign(sent.begin(), sent.end());
        record.rounds = recorded.rounds.ranks[static_cast<std::size_t>(every - 1)];
        const std::size_t bytes = encode_rank_record(record).size();
        EXPECT_EQ(bytes > hooks::Participation::most_bytes_of_record(n), n > 3) << bytes;
    }
}

TEST_F(RecorderTest, GathersInChunks) {
    for (const int n : {1, 2, 4, 7})
        EXPECT_EQ(mpirun(n, "gather_check complete").exit_code, 0) << n << " ranks";
}

TEST_F(RecorderTest, GathersNoMoreThanItsLimitAndWaitsForNobodyWhoFailed) {
    for (const int n : {4, 6, 7})
        for (const std::string way : {"too_large", "lost"})
            EXPECT_EQ(mpirun(n, "gather_check " + way).exit_code, 0) << n << " ranks, " << way;
}

}  // namespace
}  // namespace commmap
