// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/slice_phases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/recording/profile_merge.hpp"
#include "core/profile/recording/rank_record_codec.hpp"

namespace commmap {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// What one rank does in a slice.
using Row = std::vector<TrafficCell>;
const Row to_next = {{1, 3, 100, 100'000}};
const Row to_last = {{2, 3, 100, 100'000}};
const Row silent = {};

RankRecord record_of(RankId rank, double slice_s, const std::vector<Row>& slices) {
    RankRecord record;
    record.rank = rank;
    record.application_id = "build-id:1";
    record.node = "n";
    record.slice_s = slice_s;
    record.wall_s = static_cast<double>(slices.size()) * slice_s;
    record.mpi_s = record.wall_s / 2;
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
        RankRecord::Section section;
        section.slice = i;
        section.mpi_s = slice_s / 2;
        section.sent = slices[i];
        if (!section.sent.empty()) record.sections.push_back(section);
    }
    return record;
}

std::vector<std::uint32_t> phases_of(const std::vector<Row>& slices) {
    return phases_of_slices({record_of(0, 1.0, slices), record_of(1, 1.0, slices)});
}

TEST(SlicePhases, LikePatternsAreOnePhaseWhereverTheyAre) {
    EXPECT_THAT(phases_of({to_next, to_next, to_last, to_next}), ElementsAre(0, 0, 1, 0));
    // how much it is does not matter, only who says it to whom
    EXPECT_THAT(phases_of({to_next, {{1, 3, 1, 1000}}, {{1, 3, 1'000'000, 1'000'000'000}}}),
                ElementsAre(0, 0, 0));
    // a tenth of something else is still the same
    EXPECT_THAT(phases_of({to_next, {{1, 3, 90, 90'000}, {2, 3, 10, 10'000}}}), ElementsAre(0, 0));
    // another size of messages is not
    EXPECT_THAT(phases_of({to_next, {{1, 8, 1, 1'000'000}}}), ElementsAre(0, 1));
}

TEST(SlicePhases, WhatAnotherRankDoesCounts) {
    EXPECT_THAT(phases_of_slices({record_of(0, 1.0, {to_next, to_next, to_next}),
                                  record_of(1, 1.0, {to_next, to_last, to_next})}),
                ElementsAre(0, 1, 0));
}

TEST(SlicePhases, SilenceBelongsToThePhaseBeforeIt) {
    EXPECT_THAT(phases_of({silent, to_next, silent, to_last, silent, to_next}),
                ElementsAre(0, 0, 0, 1, 1, 0));
    EXPECT_THAT(phases_of({silent, silent}), IsEmpty());
}

TEST(SlicePhases, WhereOneGoesOverToTheOtherIsNoPhase) {
    const Row both = {{1, 3, 60, 60'000}, {2, 3, 40, 40'000}};
    EXPECT_THAT(phases_of({to_next, to_next, both, to_last, to_last}), ElementsAre(0, 0, 0, 1, 1));
    // also where it goes over twice, in the same way
    EXPECT_THAT(phases_of({to_next, to_next, both, to_last, to_last, both, to_next, to_next}),
                ElementsAre(0, 0, 0, 1, 1, 0, 0, 0));
    const Row other = {{1, 3, 60, 60'000}, {3, 3, 60, 60'000}};
    EXPECT_THAT(phases_of({to_next, to_next, other, to_last}), ElementsAre(0, 0, 1, 2));
    EXPECT_THAT(phases_of({to_next, both, to_next}), ElementsAre(0, 1, 0));
}

TEST(SlicePhases, TheEndIsNoPhaseBecauseSomeRanksAreThroughEarlier) {
    EXPECT_THAT(phases_of_slices({record_of(0, 1.0, {to_next, to_next, to_next}),
                                  record_of(1, 1.0, {to_next, to_next})}),
                ElementsAre(0, 0, 0));
    EXPECT_THAT(phases_of_slices({record_of(0, 1.0, {to_next, to_next, to_last}),
                                  record_of(1, 1.0, {to_next, to_next})}),
                ElementsAre(0, 0, 1));
}

TEST(SlicePhases, AreNoMoreThanSixteen) {
    std::vector<Row> slices;
    for (RankId peer = 0; peer < 64; ++peer) slices.push_back({{peer, 3, 100, 100'000}});
    const auto phases = phases_of(slices);
    EXPECT_EQ(*std::max_element(phases.begin(), phases.end()), 15u);
}

TEST(SlicePhases, CollectivesCount) {
    RankRecord record = record_of(0, 1.0, {to_next, to_next});
    record.communicators.resize(1);
    record.sections[1].sent.clear();
    record.sections[1].collectives = {{0, CollectiveOp::alltoall, false, no_id, 10, 10'000}};
    EXPECT_THAT(phases_of_slices({record}), ElementsAre(0, 1));
}

TEST(ProfileMerge, MakesPhasesOfSlices) {
    const std::vector<Row> slices = {to_next, to_next, to_last, to_next};
    std::vector<RankRecord> records;
    for (RankId rank = 0; rank < 3; ++rank) records.push_back(record_of(rank, 0.5, slices));
    records[1].sections.pop_back();  // which did nothing at the end

    const auto merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_EQ(profile.slice_s, 0.5);
    ASSERT_THAT(profile.phases, SizeIs(2));
    EXPECT_THAT(profile.phases[0].times, ElementsAre(TimeRange{0.0, 1.0}, TimeRange{1.5, 2.0}));
    EXPECT_THAT(profile.phases[1].times, ElementsAre(TimeRange{1.0, 1.5}));
    EXPECT_DOUBLE_EQ(profile.phases[0].wall_s, 1.5);
    EXPECT_DOUBLE_EQ(profile.phases[1].mpi_s, 0.25);
    EXPECT_EQ(sum_of(profile.phases[0].sent.sent_by(0)).count, 300u);
    EXPECT_EQ(sum_of(profile.phases[0].sent.sent_by(1)).count, 200u);
    EXPECT_EQ(sum_of(profile.phases[1].sent.sent_by(1)).count, 100u);
}

/// A call that one member makes in this phase and another in the next is still one.
TEST(ProfileMerge, CallsOfACollectiveAreAsManyInPhasesAsInAll) {
    const std::vector<RankId> both = {0, 1};
    const Row to_first = {{0, 3, 100, 100'000}};
    std::vector<RankRecord> records = {record_of(0, 1.0, {to_next, to_first}),
                                       record_of(1, 1.0, {to_next, to_first})};
    for (RankRecord& record : records)
        record.communicators = {{communicator_key(both.data(), 2), both}};
    const auto allreduce = [](std::uint64_t calls, std::uint64_t bytes) {
        return std::vector<RankRecord::Collective>{
            {0, CollectiveOp::allreduce, false, no_id, calls, bytes}};
    };
    records[0].sections[0].collectives = allreduce(2, 16 + 100);
    records[1].sections[0].collectives = allreduce(1, 16);
    records[1].sections[1].collectives = allreduce(1, 100);

    const auto merged = merge_rank_records(records);

    ASSERT_TRUE(merged) << merged.error().message;
    ASSERT_THAT(merged.value().phases, SizeIs(2));
    EXPECT_EQ(merged.value().phases[0].collectives[0].calls, 2u);  // 1.5, rounded
    EXPECT_EQ(merged.value().phases[1].collectives[0].calls, 0u);
    const Phase whole = whole_run(merged.value());
    EXPECT_THAT(whole.collectives,
                ElementsAre(CollectiveRecord{CollectiveOp::allreduce, 0, no_id, 2, 4, 232, false}));
    EXPECT_EQ(whole.collectives[0].bytes_per_call(), 58u);
}

/// Ranks whose memory was short have longer slices: all get those.
TEST(ProfileMerge, TakesTheLongestSlices) {
    const auto merged = merge_rank_records({record_of(0, 1.0, {to_next, to_last}),
                                            record_of(1, 0.5, {to_next, to_next, to_last, to_last}),
                                            record_of(2, 1.0, {to_next, to_last})});

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().slice_s, 1.0);
    ASSERT_THAT(merged.value().phases, SizeIs(2));
    EXPECT_EQ(sum_of(merged.value().phases[1].sent.sent_by(1)).count, 200u);
}

TEST(ProfileMerge, LabelsGoBeforeSlices) {
    RankRecord labelled = record_of(0, 0.0, {to_next, to_last});
    labelled.wall_s = 3.0;
    labelled.sections[0].label = "solve";
    labelled.sections[0].entered = 4;
    labelled.sections[0].wall_s = 2.0;
    const RankRecord sliced = record_of(1, 1.0, {to_next, to_last});

    const auto merged = merge_rank_records({labelled, sliced, record_of(2, 1.0, {to_next})});

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_EQ(profile.slice_s, 0.0);
    ASSERT_THAT(profile.phases, SizeIs(2));
    EXPECT_EQ(profile.phases[0].label, "solve");
    EXPECT_EQ(profile.phases[0].entered, 4u);
    EXPECT_DOUBLE_EQ(profile.phases[0].wall_s, 2.0 / 3);
    EXPECT_EQ(profile.phases[1].label, "");
    EXPECT_EQ(sum_of(profile.phases[1].sent.sent_by(1)).count, 200u);
    EXPECT_THAT(profile.phases[0].sent.sent_by(1), IsEmpty());
}

TEST(ProfileMerge, OnePhaseWhereARankCouldNotKeepThemApart) {
    RankRecord lost = record_of(1, 1.0, {to_next});
    lost.phases_lost = true;
    lost.slice_s = 0.0;

    const auto merged =
        merge_rank_records({record_of(0, 1.0, {to_next, to_last}), lost, record_of(2, 1.0, {})});

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_TRUE(merged.value().phases_lost);
    ASSERT_THAT(merged.value().phases, SizeIs(1));
    EXPECT_EQ(sum_of(merged.value().phases[0].sent.sent_by(0)).count, 200u);
    EXPECT_GT(merged.value().phases[0].wall_s, 0.0);
}

TEST(LimitSections, JoinsSlicesUntilTheyFitAndLosesNothing) {
    std::vector<Row> slices;
    for (RankId i = 0; i < 64; ++i) slices.push_back({{i % 3, 3, 100, 100'000}});
    const RankRecord whole = record_of(0, 0.125, slices);
    const std::size_t all = section_bytes(whole);
    for (std::size_t limit = all; limit > 100; limit /= 2) {
        RankRecord record = whole;

        limit_sections(record, limit);

        EXPECT_TRUE(record.sections.size() == 1 || section_bytes(record) <= limit);
        EXPECT_FALSE(record.phases_lost);
        std::uint64_t count = 0;
        double mpi_s = 0.0;
        for (const auto& section : record.sections) {
            count += sum_of(section.sent).count;
            mpi_s += section.mpi_s;
            EXPECT_LT(section.slice * record.slice_s, 8.0);
        }
        EXPECT_EQ(count, 6400u) << limit;
        EXPECT_DOUBLE_EQ(mpi_s, 4.0) << limit;
    }
}

/// What else is in a record is no reason to join its sections.
TEST(LimitSections, LooksAtSectionsAlone) {
    constexpr std::size_t num_ranks = 8192;
    RankRecord record = record_of(0, 0.125, {to_next, to_last});
    const std::size_t without = encode_rank_record(record).size();
    record.communicators.resize(1);
    record.communicators[0].members.resize(num_ranks);
    EXPECT_GT(encode_rank_record(record).size(), without + num_ranks * sizeof(RankId));

    limit_sections(record, most_section_bytes(num_ranks));

    EXPECT_THAT(record.sections, SizeIs(2));
}

/// What the recorder makes fit into a key, fits.
TEST(LimitSections, SaysHowLongTheyAreEncoded) {
    std::vector<Row> slices;
    for (RankId i = 0; i < 61; ++i) slices.push_back({{i % 5, 3, 100, 100'000}});
    RankRecord whole = record_of(0, 0.125, slices);
    whole.communicators.resize(1);
    for (std::size_t i = 0; i < whole.sections.size(); ++i) {
        whole.sections[i].fetched.resize(i % 3, {1, 0, 1, 8});
        whole.sections[i].collectives = {{0, CollectiveOp::bcast, false, 1, 2, 3}};
    }
    RankRecord labelled = record_of(0, 0.0, {to_next, to_last, to_next});
    labelled.sections[1].label = "solve";
    labelled.sections[2].collectives = {{0, CollectiveOp::bcast, false, 1, 2, 3}};
    for (const RankRecord& record : {whole, labelled}) {
        const std::size_t rest = encode_rank_record(record).size() - section_bytes(record);
        for (std::size_t limit = section_bytes(record); limit > 50; limit -= 37) {
            RankRecord limited = record;

            limit_sections(limited, limit);

            EXPECT_LE(encode_rank_record(limited).size(),
                      rest + section_bytes(limited) + most_padding_bytes)
                << limit;
        }
    }
}

TEST(LimitSections, JoinsLabelsAndSaysSo) {
    RankRecord record = record_of(0, 0.0, {to_next, to_last, to_next});
    record.sections[1].label = "solve";

    limit_sections(record, 150);

    ASSERT_THAT(record.sections, SizeIs(1));
    EXPECT_TRUE(record.phases_lost);
    EXPECT_EQ(record.sections[0].label, "");
    EXPECT_EQ(sum_of(record.sections[0].sent).count, 300u);
}

}  // namespace
}  // namespace commmap
