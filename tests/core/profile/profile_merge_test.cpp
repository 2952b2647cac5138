#include "core/profile/profile_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/sample_profile.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

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
        report.collectives = {{.communicator = 0,
                               .op = CollectiveOp::bcast,
                               .in_peer_traffic = false,
                               .root = 1,
                               .calls = 2,
                               .bytes = 10 + rank}};
        report.sent = {sample_profile().ranks[0].sent[0]};
    }
    return reports;
}

TEST(ProfileMerge, AddsTheMembersOfACollective) {
    const Result<Profile> merged = merge_rank_reports(two_reports());

    ASSERT_TRUE(merged) << merged.error().message;
    const Profile& profile = merged.value();
    EXPECT_EQ(profile.communicators, (std::vector<std::vector<RankId>>{{1, 0}}));
    ASSERT_EQ(profile.collectives.size(), 1u);
    EXPECT_EQ(profile.collectives[0].calls, 2u);
    EXPECT_EQ(profile.collectives[0].bytes_per_call, 5u);  // 21 bytes in 4 calls
    EXPECT_EQ(profile.collectives[0].root, 1u);
    EXPECT_TRUE(same_traffic(profile.ranks[1].sent[0], sample_profile().ranks[0].sent[0]));
}

TEST(ProfileMerge, GivesToTheSenderWhatWasFetchedFromIt) {
    std::vector<RankReport> reports = two_reports();
    PeerTraffic from_0 = {.peer = 0, .count = {0, 3}, .bytes = {0, 60}};
    PeerTraffic from_1 = {.peer = 1, .count = {1}, .bytes = {8}};
    reports[0].sent = {{.peer = 1, .count = {2, 5}, .bytes = {10, 100}}};
    reports[1].sent = {};
    reports[1].fetched = {from_0, from_1};

    const Result<Profile> merged = merge_rank_reports(reports);

    ASSERT_TRUE(merged) << merged.error().message;
    const PeerTraffic sum = {.peer = 1, .count = {2, 8}, .bytes = {10, 160}};
    ASSERT_EQ(merged.value().ranks[0].sent.size(), 1u);
    EXPECT_TRUE(same_traffic(merged.value().ranks[0].sent[0], sum));
    ASSERT_EQ(merged.value().ranks[1].sent.size(), 1u);
    EXPECT_TRUE(same_traffic(merged.value().ranks[1].sent[0], from_1));
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

TEST(ProfileMerge, RefusesMissingRanksAndMixedPrograms) {
    std::vector<RankReport> reports = two_reports();
    reports[1].application_id = "build-id:2";
    EXPECT_THAT(merge_rank_reports(reports).error().message, HasSubstr("build-id:2"));
    reports = two_reports();
    reports[1].rank = 0;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::invalid_input);
    reports.clear();
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::invalid_input);
}

TEST(ProfileMerge, RefusesRanksOutOfRange) {
    std::vector<RankReport> reports = two_reports();
    reports[0].sent[0].peer = 2;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
    reports = two_reports();
    reports[1].fetched = {{.peer = 2}};
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
    reports = two_reports();
    reports[1].communicators[0].members[0] = 2;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
    reports = two_reports();
    reports[1].collectives[0].root = 2;
    EXPECT_EQ(merge_rank_reports(reports).error().code, Errc::corrupt);
}

TEST(RankReportCodec, ReadsWhatItWrote) {
    RankReport written = two_reports()[1];
    written.fetched = {{.peer = 1, .count = {0, 7}, .bytes = {0, 210}}};

    const Result<RankReport> read = decode_rank_report(encode_rank_report(written));

    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(encode_rank_report(read.value()), encode_rank_report(written));
    ASSERT_EQ(read.value().fetched.size(), 1u);
    EXPECT_TRUE(same_traffic(read.value().fetched[0], written.fetched[0]));
    EXPECT_EQ(read.value().communicators[0].members, (std::vector<RankId>{1, 0}));
    EXPECT_EQ(read.value().collectives[0].bytes, 11u);
}

TEST(RankReportCodec, RefusesEveryTruncation) {
    const std::string bytes = encode_rank_report(two_reports()[1]);
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decode_rank_report(std::string_view(bytes).substr(0, length))) << length;
    EXPECT_FALSE(decode_rank_report(bytes + "x"));
}

}  // namespace
}  // namespace commmap
