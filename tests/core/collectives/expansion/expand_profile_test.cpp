// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/collectives/expansion/expand_profile.hpp"

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

/// Four ranks on two nodes, and one call of a collective.
Profile profile_with(CollectiveOp op, std::vector<RankId> members,
                     std::vector<std::uint32_t> node_of_rank) {
    Profile profile = profile_of(4);
    profile.nodes.resize(1 + *std::max_element(node_of_rank.begin(), node_of_rank.end()));
    for (std::size_t rank = 0; rank < 4; ++rank) profile.ranks[rank].node = node_of_rank[rank];
    profile.communicators = {std::move(members)};
    const RankId root = op == CollectiveOp::bcast ? 0 : no_id;
    profile.phases[0].collectives = {{op, 0, root, 1, 4, 400, false}};
    return profile;
}

std::size_t entries(const Profile& profile, std::optional<CollectiveRules> rules) {
    return expand_profile(profile, max_expanded_messages, {rules, {}}).value().num_entries();
}

TEST(ExpandProfile, LeavesOutWhatAllRanksDoInTwoLevels) {
    constexpr auto flat = CollectiveRules::open_mpi_4;
    constexpr auto han = CollectiveRules::open_mpi_5;
    constexpr auto mpich = CollectiveRules::mpich_4;
    const Profile all = profile_with(CollectiveOp::allreduce, {0, 1, 2, 3}, {0, 0, 1, 1});
    EXPECT_GT(entries(all, flat), 0U);
    EXPECT_EQ(entries(all, han), 0U);
    EXPECT_EQ(entries(all, mpich), 0U);
    const Profile some = profile_with(CollectiveOp::allreduce, {0, 1, 2}, {0, 0, 1, 1});
    EXPECT_GT(entries(some, han), 0U);
    EXPECT_GT(entries(some, mpich), 0U);
    const Profile alone = profile_with(CollectiveOp::allreduce, {0, 1, 2, 3}, {0, 1, 2, 3});
    EXPECT_GT(entries(alone, han), 0U);
    const Profile together = profile_with(CollectiveOp::allreduce, {0, 1, 2, 3}, {0, 0, 0, 0});
    EXPECT_GT(entries(together, mpich), 0U);
    const Profile unequal = profile_with(CollectiveOp::bcast, {0, 1, 2, 3}, {0, 0, 0, 1});
    EXPECT_GT(entries(unequal, han), 0U);
    EXPECT_EQ(entries(unequal, mpich), 0U);
    Profile with_empty = together;
    with_empty.nodes.resize(3);
    EXPECT_GT(entries(with_empty, mpich), 0U) << "nodes without ranks";
    const Profile pairwise = profile_with(CollectiveOp::alltoall, {0, 1, 2, 3}, {0, 0, 1, 1});
    EXPECT_EQ(entries(pairwise, han), 12U);
    EXPECT_EQ(entries(pairwise, mpich), 12U);
}

TEST(ExpandProfile, LooksAtTheNodesOfTheJobThatIsPlannedFor) {
    constexpr auto mpich = CollectiveRules::mpich_4;
    const Profile on_two = profile_with(CollectiveOp::allreduce, {0, 1, 2, 3}, {0, 0, 1, 1});
    const auto planned = [&](std::vector<std::uint32_t> tasks_per_node) {
        return expand_profile(on_two, max_expanded_messages, {mpich, std::move(tasks_per_node)})
            .value()
            .num_entries();
    };
    EXPECT_GT(planned({1, 1, 1, 1}), 0U);
    EXPECT_GT(planned({4, 0}), 0U);
    EXPECT_EQ(planned({3, 1}), 0U);
}

TEST(ExpandProfile, TakesTheRulesOfTheProfilesLibrary) {
    Profile profile = profile_with(CollectiveOp::allreduce, {0, 1, 2, 3}, {0, 0, 1, 1});
    profile.mpi_library = "MPICH Version:      4.0.2";
    EXPECT_EQ(expand_profile(profile).value().num_entries(), 0U);
    EXPECT_GT(entries(profile, CollectiveRules::open_mpi_4), 0U);
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
