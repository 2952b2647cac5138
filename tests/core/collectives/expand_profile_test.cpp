#include <gtest/gtest.h>

#include "core/collectives/schedule.hpp"

namespace commmap {
namespace {

Profile profile_of(std::size_t num_ranks) {
    Profile profile;
    profile.ranks.resize(num_ranks);
    profile.phases.resize(1);
    return profile;
}

TEST(ExpandProfile, KeepsPointToPointTrafficByBucket) {
    Profile profile = profile_of(3);
    profile.phases[0].sent = TrafficMatrix({{{2, 0, 4, 32}, {2, 5, 1, 10'000}}});

    const auto graph = expand_profile(profile);

    ASSERT_TRUE(graph) << graph.error().message;
    ASSERT_EQ(graph.value().sent_by(0).size(), 2U);
    EXPECT_EQ(graph.value().total_bytes(), 10'032U);
    EXPECT_EQ(graph.value().total_count(), 5U);
}

TEST(ExpandProfile, MultipliesByCallsAndUsesTheCommunicatorsOrder) {
    // Ranks 3, 1, 2 as members 0, 1, 2; rank 1 is the root: a binomial tree from member 1 to 2,
    // then to 0.
    Profile profile = profile_of(4);
    profile.communicators = {{3, 1, 2}};
    CollectiveRecord bcast;
    bcast.op = CollectiveOp::bcast;
    bcast.root = 1;
    bcast.calls = 7;
    bcast.member_calls = 1;
    bcast.member_bytes = 100;  // 3 members: bcast_binomial from 32 to 255 bytes
    profile.phases[0].collectives = {bcast};

    const auto graph = expand_profile(profile);

    ASSERT_TRUE(graph) << graph.error().message;
    ASSERT_EQ(graph.value().sent_by(1).size(), 2U);
    EXPECT_EQ(graph.value().sent_by(1)[0].peer, 2U);
    EXPECT_EQ(graph.value().sent_by(1)[1].peer, 3U);
    EXPECT_EQ(graph.value().sent_by(1)[0].count, 7U);
    EXPECT_EQ(graph.value().sent_by(1)[0].bytes, 700U);
    EXPECT_TRUE(graph.value().sent_by(0).empty());
}

/// However a run is divided, what is planned for is all of it.
TEST(ExpandProfile, PhasesTogetherAreTheWholeRun) {
    Profile divided = profile_of(4);
    divided.communicators = {{0, 1, 2, 3}};
    divided.phases.resize(16);
    for (std::size_t i = 0; i < divided.phases.size(); ++i) {
        Phase& phase = divided.phases[i];
        phase.sent = TrafficMatrix({{{1, 0, i + 1, 8 * i}, {2, 5, 1, 10'000}}});
        phase.collectives = {{CollectiveOp::alltoall, 0, no_id, i % 2, 4, 100 * i, false}};
    }
    Profile joined = divided;
    joined.phases = {whole_run(divided)};

    const auto graph = expand_profile(divided, 12);
    const auto expected = expand_profile(joined, 12);

    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(graph.value().total_bytes(), expected.value().total_bytes());
    EXPECT_EQ(graph.value().total_count(), expected.value().total_count());
    EXPECT_EQ(graph.value().num_entries(), expected.value().num_entries());
    EXPECT_EQ(graph.value().num_entries(), 14U);  // an alltoall of four, and what rank 0 sent
}

TEST(ExpandProfile, LeavesOutWhatIsInThePeersTrafficAlready) {
    Profile profile = profile_of(2);
    profile.communicators = {{0, 1}};
    CollectiveRecord record;
    record.op = CollectiveOp::alltoall;
    record.calls = 1;
    record.member_calls = 1;
    record.member_bytes = 100;
    record.in_peer_traffic = true;
    profile.phases[0].collectives = {record};

    EXPECT_EQ(expand_profile(profile).value().total_count(), 0U);
}

TEST(ExpandProfile, StopsBeforeAQuadraticScheduleIsMade) {
    Profile profile = profile_of(300);
    profile.communicators.resize(1);
    for (RankId r = 0; r < 300; ++r) profile.communicators[0].push_back(r);
    CollectiveRecord record;
    record.op = CollectiveOp::alltoall;
    record.calls = 1;
    record.member_calls = 1;
    record.member_bytes = 1 << 20;
    profile.phases[0].collectives = {record};

    EXPECT_EQ(expand_profile(profile, 80'000).error().code, Errc::out_of_range);
    EXPECT_EQ(expand_profile(profile, 90'000).value().num_entries(), 300U * 299U);
}

TEST(ExpandProfile, RefusesSumsThatWouldWrapRound) {
    const auto refused = [](CollectiveOp op, std::uint64_t calls, std::uint64_t bytes,
                            std::size_t num_records, RankId root) {
        Profile profile = profile_of(16);
        profile.communicators.emplace_back();
        for (RankId r = 0; r < 16; ++r) profile.communicators[0].push_back(r);
        CollectiveRecord record;
        record.op = op;
        record.root = root;
        record.calls = calls;
        record.member_calls = 1;
        record.member_bytes = bytes;
        profile.phases[0].collectives.assign(num_records, record);
        const auto graph = expand_profile(profile);
        return !graph && graph.error().code == Errc::out_of_range;
    };
    constexpr std::uint64_t one = 1;
    // eight blocks of 2^61 bytes in one message, twice 2^63 messages between the same two ranks
    EXPECT_TRUE(refused(CollectiveOp::gather, 1, one << 61, 1, 0));
    EXPECT_TRUE(refused(CollectiveOp::barrier, one << 63, 0, 2, no_id));
    EXPECT_FALSE(refused(CollectiveOp::gather, 1, one << 50, 1, 0));
    EXPECT_FALSE(refused(CollectiveOp::barrier, one << 40, 0, 2, no_id));

    Profile profile = profile_of(2);
    profile.phases[0].sent = TrafficMatrix({{{1, 0, one << 63, 0}, {1, 1, one << 63, 0}}});
    EXPECT_EQ(expand_profile(profile).error().code, Errc::corrupt);
}

TEST(ExpandProfile, RefusesWhatDoesNotFitTogether) {
    Profile profile = profile_of(3);
    profile.communicators = {{0, 1}};
    CollectiveRecord record;
    record.op = CollectiveOp::bcast;
    record.calls = 1;
    record.root = 2;
    profile.phases[0].collectives = {record};
    EXPECT_EQ(expand_profile(profile).error().code, Errc::corrupt);

    profile.phases[0].collectives[0].communicator = 1;
    EXPECT_EQ(expand_profile(profile).error().code, Errc::corrupt);

    profile.phases[0].collectives[0] = record;
    profile.phases[0].collectives[0].root = 0;
    profile.phases[0].collectives[0].calls = UINT64_MAX;
    profile.phases[0].collectives[0].member_calls = 1;
    profile.phases[0].collectives[0].member_bytes = 100;
    EXPECT_EQ(expand_profile(profile).error().code, Errc::out_of_range);
}

}  // namespace
}  // namespace commmap
