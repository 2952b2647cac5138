// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What the recorder notes of each rank besides its messages: its calls, its waits, where it ran.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pmix_hooks/recorder_fixture.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(Languages, RecorderByLanguage, testing::ValuesIn(languages),
                         language_alone);

TEST_P(RecorderByLanguage, CallsOfMpiIoHaveTheirBytes) {
    const std::string file = (directory_ / "data").string();

    const Outcome outcome = record(2, GetParam() + std::string(" files ") + file);

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(fs::file_size(file), 1148u);
    const Profile recorded = profile(2);
    for (const ProfileRank& rank : recorded.ranks) {
        std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> calls;
        for (const CallTime& time : rank.calls)
            calls[recorded.call_names[time.call]] = {time.count, time.bytes};
        const decltype(calls) expected{{"MPI_File_write_at_all", {1, 100}},
                                       {"MPI_File_write_at", {2, 48}},
                                       {"MPI_File_sync", {1, 0}},
                                       {"MPI_File_iread_at", {1, 50}},
                                       {"MPI_Wait", {1, 0}},
                                       {"MPI_File_read_at_all_begin", {1, 10}},
                                       {"MPI_File_read_at_all_end", {1, 0}},
                                       {"MPI_File_close", {1, 0}}};
        EXPECT_EQ(calls, expected);
    }
    EXPECT_EQ(recorded.phases[0].sent.num_cells(), 0u) << "what MPI sends for it is its own";
}

TEST_F(RecorderTest, NotesForWhomCallsWait) {
    ASSERT_EQ(record(3, "traffic waits").exit_code, 0);

    const Profile recorded = profile(3);
    for (RankId rank = 0; rank < 3; ++rank) {
        std::map<RankId, std::uint64_t> calls;
        for (const PeerWait& wait : recorded.ranks[rank].waits) {
            calls[wait.peer] = wait.calls;
            EXPECT_GT(wait.seconds, 0.0F) << rank;
            EXPECT_LE(wait.seconds, recorded.ranks[rank].mpi_s) << rank;
        }
        const std::map<RankId, std::uint64_t> expected = {{(rank + 2) % 3, 5}, {(rank + 1) % 3, 3}};
        EXPECT_EQ(calls, expected) << rank;
    }

    fs::remove_all(profiles_);
    ASSERT_EQ(record(3, "traffic waits", "-x COMMMAP_RECORD_TIME=0").exit_code, 0);
    for (const ProfileRank& rank : profile(3).ranks) EXPECT_TRUE(rank.waits.empty());
}

TEST_F(RecorderTest, NotesHowManySendsAreOpen) {
    ASSERT_EQ(record(2, "traffic open_sends").exit_code, 0);

    const auto bucket_of = [](std::uint64_t bytes) {
        return static_cast<std::uint32_t>(size_bucket(bytes));
    };
    const std::vector<OpenSends> expected = {
        {.bucket = bucket_of(16000), .most = 2, .sends = 5, .others = 3},
        {.bucket = bucket_of(60000), .most = 3, .sends = 1, .others = 3}};
    for (const ProfileRank& rank : profile(2).ranks) EXPECT_EQ(rank.open_sends, expected);
}

TEST_F(RecorderTest, LooksForMessagesThatComeBeforeTheirReceives) {
    ASSERT_EQ(record(2, "traffic early_messages").exit_code, 0);
    for (const ProfileRank& rank : profile(2).ranks)
        EXPECT_EQ(rank.early_messages, (EarlyMessages{.looked_at = 4, .early = 2}));

    fs::remove_all(profiles_);
    ASSERT_EQ(record(2, "traffic early_messages", "-x COMMMAP_RECORD_TIME=0").exit_code, 0);
    for (const ProfileRank& rank : profile(2).ranks)
        EXPECT_EQ(rank.early_messages, EarlyMessages{});
}

TEST_F(RecorderTest, SaysWhereAndWhenItRan) {
    const Outcome outcome = record(2, "traffic sends", "-x SLURM_JOB_ID=4711 -x COMMMAP_VERBOSE=1");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("commmap: recorded 2 ranks, 38 messages, "));
    const Profile recorded = profile(2);
    char host[256] = "";
    ::gethostname(host, sizeof host);
    EXPECT_EQ(recorded.application_id, "test:app");
    EXPECT_EQ(recorded.command, "/x/app");
    EXPECT_EQ(recorded.job_id, 4711u);
    EXPECT_THAT(recorded.mpi_library, HasSubstr("Open MPI"));
    EXPECT_FALSE(recorded.recorder_version.empty());
    EXPECT_EQ(recorded.nodes, std::vector<std::string>{host});
    for (const ProfileRank& rank : recorded.ranks) {
        EXPECT_FALSE(rank.cpus.empty());
        EXPECT_GT(rank.wall_s, 0.0);
        EXPECT_GT(rank.mpi_s, 0.0);
        EXPECT_LE(rank.mpi_s, rank.wall_s);
    }
}

TEST_F(RecorderTest, LeavesTimeOutWhenAsked) {
    record(2, "traffic sends", "-x COMMMAP_RECORD_TIME=0");

    for (const ProfileRank& rank : profile(2).ranks) EXPECT_EQ(rank.mpi_s, 0.0);
}

}  // namespace
}  // namespace commmap
