// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/profile_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/format/profile_codec.hpp"
#include "core/profile/sample_profile.hpp"

namespace commmap {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

const std::vector<TrafficCell> sent_by_each = {{1, 0, 3, 0}, {1, 12, 1, std::uint64_t{1} << 40}};

/// Two ranks; a reversed communicator with a bcast from world rank 1, whose list comes from its
/// first member.
std::vector<RankRecord> two_records() {
    const std::vector<RankId> reversed = {1, 0};
    std::vector<RankRecord> records(2);
    for (RankId rank = 0; rank < 2; ++rank) {
        RankRecord& record = records[rank];
        record.rank = rank;
        record.application_id = "build-id:1";
        record.node = rank == 0 ? "b" : "a";
        record.cpus = "0";
        record.communicators = {{communicator_key(reversed.data(), 2), {}}};
        if (rank == 1) record.communicators[0].members = reversed;
        RankRecord::Section& section = record.sections.emplace_back();
        section.collectives = {{.communicator = 0,
                                .op = CollectiveOp::bcast,
                                .in_peer_traffic = false,
                                .root = 1,
                                .calls = 2,
                                .bytes = 10 + rank}};
        section.sent = sent_by_each;
    }
    return records;
}

TEST(ProfileMerge, AddsTheMembersOfACollective) {
    const Result<Profile> merged = merge_rank_records(two_records());

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_EQ(profile.communicators, (std::vector<std::vector<RankId>>{{1, 0}}));
    ASSERT_EQ(profile.phases[0].collectives.size(), 1u);
    EXPECT_EQ(profile.phases[0].collectives[0].calls, 2u);
    EXPECT_EQ(profile.phases[0].collectives[0].bytes_per_call(), 5u);  // 21 bytes in 4 calls
    EXPECT_EQ(profile.phases[0].collectives[0].root, 1u);
    EXPECT_THAT(profile.phases[0].sent.sent_by(1), ElementsAreArray(sent_by_each));
}

TEST(ProfileMerge, CallsOfAnotherSizeAreAnotherRecord) {
    std::vector<RankRecord> records = two_records();
    for (RankRecord& record : records) {
        record.sections[0].collectives.push_back(record.sections[0].collectives[0]);
        RankRecord::Collective& large = record.sections[0].collectives[1];
        large.bucket = 5;
        large.calls = 3;
        large.bytes = 30'000;
    }

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    const std::vector<CollectiveRecord>& collectives = merged.value().phases[0].collectives;
    ASSERT_EQ(collectives.size(), 2u);
    EXPECT_EQ(collectives[0].bytes_per_call(), 5u);
    EXPECT_EQ(collectives[1].bytes_per_call(), 10'000u);
    EXPECT_EQ(collectives[1].bucket, 5u);
    EXPECT_EQ(collectives[1].calls, 3u);
}

TEST(ProfileMerge, GivesToTheSenderWhatWasFetchedFromIt) {
    std::vector<RankRecord> records = two_records();
    const TrafficCell from_0 = {0, 1, 3, 60};
    const TrafficCell from_1 = {1, 0, 1, 8};
    records[0].sections[0].sent = {{1, 0, 2, 10}, {1, 1, 5, 100}};
    records[1].sections[0].sent = {};
    records[1].sections[0].fetched = {from_0, from_1};

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().phases[0].sent,
              TrafficMatrix({{{1, 0, 2, 10}, {1, 1, 8, 160}}, {{1, 0, 1, 8}}}));
}

TEST(ProfileMerge, PutsTheNeighboursOfAllMembersTogether) {
    std::vector<RankRecord> records = two_records();
    for (RankRecord& record : records)
        record.topologies = {
            {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {record.rank}},
            {.communicator = 0, .dims = {1, 2}, .periodic = {0, 1}, .destinations = {}},
            {.communicator = 0, .dims = {3}, .periodic = {0}, .destinations = {}}};

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    const std::vector<ProcessTopology> expected = {
        // the members are 1 and 0
        {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {{1}, {0}}},
        {.communicator = 0, .dims = {1, 2}, .periodic = {0, 1}, .destinations = {}}};
    EXPECT_EQ(merged.value().topologies, expected);

    // what not all members record, or not alike, is left out
    records[1].topologies.pop_back();
    records[1].topologies[1].periodic[0] = 1;
    const Result<Profile> others = merge_rank_records(records);
    ASSERT_TRUE(others) << others.error().message;
    ASSERT_EQ(others.value().topologies.size(), 1u);
    EXPECT_EQ(others.value().topologies[0].destinations.size(), 2u);
}

TEST(ProfileMerge, DoesNotDependOnTheOrderOfTheRecords) {
    std::vector<RankRecord> records = two_records();
    std::swap(records[0], records[1]);

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().nodes, (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ(merged.value().ranks[1].node, 1u);
}

TEST(ProfileMerge, TakesTheLaunchersOrderOfNodes) {
    std::vector<RankRecord> records = two_records();
    records[0].node_id = 1;
    records[1].node_id = 0;

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().nodes, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(merged.value().ranks[0].node, 1u);
}

TEST(ProfileMerge, SeveralProgramsAreASet) {
    std::vector<RankRecord> records = two_records();
    records[0].application_id = "build-id:1+large";
    records[0].program = "ocean";
    records[1].application_id = "build-id:2+large";
    records[1].program = "atmosphere";
    const auto id_of = [](const std::vector<RankRecord>& of) {
        const auto merged = merge_rank_records(of);
        EXPECT_TRUE(merged) << merged.error().message;
        return merged ? merged.value().application_id : "";
    };

    const auto merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_THAT(profile.application_id, testing::MatchesRegex("set:[0-9a-f]{32}\\+large"));
    EXPECT_EQ(profile.programs, (std::vector<Program>{{"build-id:1+large", "ocean"},
                                                      {"build-id:2+large", "atmosphere"}}));
    EXPECT_EQ(profile.command, "ocean : atmosphere");
    EXPECT_EQ(profile.ranks[0].program, 0u);
    EXPECT_EQ(profile.ranks[1].program, 1u);
    EXPECT_EQ(id_of(records), profile.application_id);
    std::swap(records[0].application_id, records[1].application_id);
    EXPECT_NE(id_of(records), profile.application_id);
    records[1].application_id = records[0].application_id;
    EXPECT_EQ(id_of(records), "build-id:2+large");
}

TEST(ProfileMerge, LocalitiesAreStoredOnce) {
    std::vector<RankRecord> records = two_records();
    EXPECT_TRUE(merge_rank_records(records).value().localities.empty());
    records[1].locality = "NM1:SK0";
    const Profile profile = merge_rank_records(records).value();
    EXPECT_EQ(profile.localities, (std::vector<std::string>{"", "NM1:SK0"}));
    EXPECT_EQ(profile.ranks[1].locality, 1u);
}

TEST(ProfileMerge, RefusesMissingRanks) {
    std::vector<RankRecord> records = two_records();
    records[1].rank = 0;
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::invalid_input);
    records.clear();
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::invalid_input);
}

TEST(ProfileMerge, RefusesRanksOutOfRange) {
    std::vector<RankRecord> records = two_records();
    records[0].sections[0].sent[0].peer = 2;
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::corrupt);
    records = two_records();
    records[1].sections[0].fetched = {{2, 0, 1, 1}};
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::corrupt);
    records = two_records();
    records[1].communicators[0].members[0] = 2;
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::corrupt);
    records = two_records();
    records[1].sections[0].collectives[0].root = 2;
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::corrupt);
    records = two_records();
    records[1].communicators[0].members = {1, 1};
    EXPECT_EQ(merge_rank_records(records).error().code, Errc::corrupt);
}

/// Rank 0 does not know who is in the communicator; a profile with such a root would not be read.
TEST(ProfileMerge, RefusesARootThatIsNoMember) {
    for (const RankId teller : {0u, 1u}) {
        std::vector<RankRecord> records = two_records();
        records[1].communicators[0].members = {};
        records[teller].communicators[0].members = {1};
        records[0].sections[0].collectives[0].root = 0;
        EXPECT_EQ(merge_rank_records(records).error().code, Errc::corrupt) << teller;
    }
}

/// What no run can count must not begin again at 0, which is no cell.
TEST(ProfileMerge, CountsToTheEndAndNoFurther) {
    std::vector<RankRecord> records = two_records();
    records[0].sections[0].sent = {{1, 0, std::uint64_t{1} << 63, 10}};
    records[1].sections[0].sent = {};
    records[1].sections[0].fetched = {{0, 0, std::uint64_t{1} << 63, 10}};

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().phases[0].sent, TrafficMatrix({{{1, 0, UINT64_MAX, 20}}, {}}));
}

TEST(ProfileMerge, SaysHowLongEachRankWasInEachPhase) {
    std::vector<RankRecord> records = two_records();
    for (RankRecord& record : records) {
        record.wall_s = 4.0;
        record.sections[0].wall_s = 1.0 + record.rank;
        record.sections[0].mpi_s = 0.5;
        record.sections.push_back(record.sections[0]);
        record.sections[1].label = "solve";
        record.sections[1].mpi_s = 0.25 * record.rank;
    }

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    ASSERT_EQ(merged.value().phases.size(), 2u);
    EXPECT_EQ(merged.value().phases[0].rank_times,
              (std::vector<PhaseTime>{{1.0F, 0.5F}, {2.0F, 0.5F}}));
    EXPECT_EQ(merged.value().phases[1].rank_times,
              (std::vector<PhaseTime>{{1.0F, 0.0F}, {2.0F, 0.25F}}));
    EXPECT_TRUE(merge_rank_records(two_records()).value().phases[0].rank_times.empty())
        << "one phase: the ranks say it";
}

TEST(ProfileMerge, TimesOfSlicesEndWithTheRank) {
    std::vector<RankRecord> records = two_records();
    for (RankRecord& record : records) {
        record.slice_s = 1.0;
        record.wall_s = 2.0 + record.rank;
        record.sections[0].mpi_s = 0.75;
        for (std::uint32_t slice = 1; slice < 2 + record.rank; ++slice) {
            record.sections.push_back(record.sections[0]);
            record.sections.back().slice = slice;
        }
        // the first slice is another phase
        record.sections[0].sent = {{1 - record.rank, 5, 1'000, 100'000'000}};
        record.sections[0].collectives.clear();
    }

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    ASSERT_EQ(merged.value().phases.size(), 2u);
    EXPECT_EQ(merged.value().phases[0].rank_times,
              (std::vector<PhaseTime>{{1.0F, 0.75F}, {1.0F, 0.75F}}));
    EXPECT_EQ(merged.value().phases[1].rank_times,
              (std::vector<PhaseTime>{{1.0F, 0.75F}, {2.0F, 1.5F}}));
}

TEST(ProfileMerge, ARankWithoutCallsInAPhaseOfSlicesComputedThere) {
    std::vector<RankRecord> records = two_records();
    for (RankRecord& record : records) {
        record.slice_s = 1.0;
        record.wall_s = 2.0;
    }
    records[0].sections.push_back(records[0].sections[0]);
    records[0].sections[1].slice = 1;
    records[0].sections[1].mpi_s = 0.5;
    records[0].sections[1].collectives.clear();
    records[0].sections[1].sent = {{1, 5, 1'000, 100'000'000}};

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    ASSERT_EQ(merged.value().phases.size(), 2u);
    EXPECT_EQ(merged.value().phases[1].rank_times,
              (std::vector<PhaseTime>{{1.0F, 0.5F}, {1.0F, 0.0F}}));
}

/// Each rank has few, all together more than a profile has room for.
TEST(ProfileMerge, MoreLabelsThanAProfileHasAreOnePhase) {
    std::vector<RankRecord> records;
    for (RankId rank = 0; rank < 150; ++rank) {
        RankRecord& record = records.emplace_back(two_records()[0]);
        record.rank = rank;
        record.communicators.clear();
        record.sections[0].collectives.clear();
        record.sections.push_back(record.sections[0]);
        record.sections[0].label = "a" + std::to_string(rank);
        record.sections[1].label = "b" + std::to_string(rank);
    }

    const Result<Profile> merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_TRUE(merged.value().phases_lost);
    ASSERT_EQ(merged.value().phases.size(), 1u);
    EXPECT_EQ(merged.value().phases[0].sent.sent_by(7)[0].count, 6u);
    EXPECT_TRUE(decode_profile(encode_profile(merged.value())));
}

}  // namespace
}  // namespace commmap
