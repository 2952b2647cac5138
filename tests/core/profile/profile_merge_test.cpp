#include "core/profile/profile_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/sample_profile.hpp"

namespace commmap {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

const std::vector<TrafficCell> sent_by_each = {{1, 0, 3, 0}, {1, 12, 1, std::uint64_t{1} << 40}};

/// Two ranks; a reversed communicator with a bcast from world rank 1, whose list comes from its
/// first member.
std::vector<RankReport> two_reports() {
    const std::vector<RankId> reversed = {1, 0};
    std::vector<RankReport> reports(2);
    for (RankId rank = 0; rank < 2; ++rank) {
        RankReport& report = reports[rank];
        report.rank = rank;
        report.application_id = "build-id:1";
        report.node = rank == 0 ? "b" : "a";
        report.cpus = "0";
        report.communicators = {{communicator_key(reversed.data(), 2), {}}};
        if (rank == 1) report.communicators[0].members = reversed;
        RankReport::Section& section = report.sections.emplace_back();
        section.collectives = {{.communicator = 0,
                                .op = CollectiveOp::bcast,
                                .in_peer_traffic = false,
                                .root = 1,
                                .calls = 2,
                                .bytes = 10 + rank}};
        section.sent = sent_by_each;
    }
    return reports;
}

TEST(ProfileMerge, AddsTheMembersOfACollective) {
    const Result<Profile> merged = merge_rank_reports(two_reports());

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_EQ(profile.communicators, (std::vector<std::vector<RankId>>{{1, 0}}));
    ASSERT_EQ(profile.phases[0].collectives.size(), 1u);
    EXPECT_EQ(profile.phases[0].collectives[0].calls, 2u);
    EXPECT_EQ(profile.phases[0].collectives[0].bytes_per_call(), 5u);  // 21 bytes in 4 calls
    EXPECT_EQ(profile.phases[0].collectives[0].root, 1u);
    EXPECT_THAT(profile.phases[0].sent.sent_by(1), ElementsAreArray(sent_by_each));
}

TEST(ProfileMerge, GivesToTheSenderWhatWasFetchedFromIt) {
    std::vector<RankReport> reports = two_reports();
    const TrafficCell from_0 = {0, 1, 3, 60};
    const TrafficCell from_1 = {1, 0, 1, 8};
    reports[0].sections[0].sent = {{1, 0, 2, 10}, {1, 1, 5, 100}};
    reports[1].sections[0].sent = {};
    reports[1].sections[0].fetched = {from_0, from_1};

    const Result<Profile> merged = merge_rank_reports(reports);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().phases[0].sent,
              TrafficMatrix({{{1, 0, 2, 10}, {1, 1, 8, 160}}, {{1, 0, 1, 8}}}));
}

TEST(ProfileMerge, DoesNotDependOnTheOrderOfTheReports) {
    std::vector<RankReport> reports = two_reports();
    std::swap(reports[0], reports[1]);

    const Result<Profile> merged = merge_rank_reports(reports);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().nodes, (std::vector<std::string>{"b", "a"}));
    EXPECT_EQ(merged.value().ranks[1].node, 1u);
}

TEST(ProfileMerge, TakesTheLaunchersOrderOfNodes) {
    std::vector<RankReport> reports = two_reports();
    reports[0].node_id = 1;
    reports[1].node_id = 0;

    const Result<Profile> merged = merge_rank_reports(reports);

    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged.value().nodes, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(merged.value().ranks[0].node, 1u);
}

TEST(ProfileMerge, SeveralProgramsAreASet) {
    std::vector<RankReport> reports = two_reports();
    reports[0].application_id = "build-id:1+large";
    reports[0].program = "ocean";
    reports[1].application_id = "build-id:2+large";
    reports[1].program = "atmosphere";
    const auto id_of = [](const std::vector<RankReport>& of) {
        const auto merged = merge_rank_reports(of);
        EXPECT_TRUE(merged) << merged.error().message;
        return merged ? merged.value().application_id : "";
    };

    const auto merged = merge_rank_reports(reports);

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_THAT(profile.application_id, testing::MatchesRegex("set:[0-9a-f]{32}\\+large"));
    EXPECT_EQ(profile.programs, (std::vector<Program>{{"build-id:1+large", "ocean"},
                                                      {"build-id:2+large", "atmosphere"}}));
    EXPECT_EQ(profile.command, "ocean : atmosphere");
    EXPECT_EQ(profile.ranks[0].program, 0u);
    EXPECT_EQ(profile.ranks[1].program, 1u);
    EXPECT_EQ(id_of(reports), profile.application_id);
    std::swap(reports[0].application_id, reports[1].application_id);
    EXPECT_NE(id_of(reports), profile.application_id);
    reports[1].application_id = reports[0].application_id;
    EXPECT_EQ(id_of(reports), "build-id:2+large");
}

TEST(ProfileMerge, LocalitiesAreStoredOnce) {
    std::vector<RankReport> reports = two_reports();
    EXPECT_TRUE(merge_rank_reports(reports).value().localities.empty());
    reports[1].locality = "NM1:SK0";
    const Profile profile = merge_rank_reports(reports).value();
    EXPECT_EQ(profile.localities, (std::vector<std::string>{"", "NM1:SK0"}));
    EXPECT_EQ(profile.ranks[1].locality, 1u);
}

TEST(ProfileMerge, RefusesMissingRanks) {
    std::vector<RankReport> reports = two_reports();
    reports[1].rank = 0;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::invalid_input);
    reports.clear();
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::invalid_input);
}

TEST(ProfileMerge, RefusesRanksOutOfRange) {
    std::vector<RankReport> reports = two_reports();
    reports[0].sections[0].sent[0].peer = 2;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
    reports = two_reports();
    reports[1].sections[0].fetched = {{2, 0, 1, 1}};
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
    reports = two_reports();
    reports[1].communicators[0].members[0] = 2;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
    reports = two_reports();
    reports[1].sections[0].collectives[0].root = 2;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
}

TEST(RankReportCodec, ReadsWhatItWrote) {
    RankReport written = two_reports()[1];
    written.sections[0].fetched = {{1, 1, 7, 210}};

    const Result<RankReport> read = decode_rank_report(encode_rank_report(written));

    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(encode_rank_report(read.value()), encode_rank_report(written));
    EXPECT_EQ(read.value().sections[0].fetched, written.sections[0].fetched);
    EXPECT_EQ(read.value().communicators[0].members, (std::vector<RankId>{1, 0}));
    EXPECT_EQ(read.value().sections[0].collectives[0].bytes, 11u);
}

TEST(RankReportCodec, RefusesEveryTruncation) {
    const std::string bytes = encode_rank_report(two_reports()[1]);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decode_rank_report(std::string_view(bytes).substr(0, length))) << length;
    EXPECT_FALSE(decode_rank_report(bytes + "x"));
}

}  // namespace
}  // namespace commmap
