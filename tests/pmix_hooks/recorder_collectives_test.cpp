// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Collective calls and process topologies: the profile has the calls and bytes worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pmix_hooks/recorder_fixture.hpp"

namespace commmap {
namespace {

using testing::IsEmpty;

INSTANTIATE_TEST_SUITE_P(Ranks, RecorderOnRanks,
                         testing::Combine(testing::ValuesIn(languages), testing::Values(1, 2, 4)),
                         language_and_ranks);

bool contains_call(const Profile& profile, const std::string& name) {
    for (const ProfileRank& rank : profile.ranks)
        for (const CallTime& time : rank.calls)
            if (profile.call_names[time.call] == name) return true;
    return false;
}

TEST_P(RecorderOnRanks, CountsCollectives) {
    const Outcome outcome = record(n, program + " collectives");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    const auto root = static_cast<RankId>(n - 1);
    const auto size = static_cast<std::uint64_t>(n);
    const auto world = ranks_below(n);
    using enum CollectiveOp;
    expect_collective(recorded, barrier, no_id, 2, 0, false, world);
    expect_collective(recorded, bcast, root, 1, 100, false, world);
    expect_collective(recorded, bcast, root, 1, 300, false, world);
    expect_collective(recorded, bcast, 0, 1, 7, false, world);
    expect_collective(recorded, reduce, root, 1, 40, false, world);
    expect_collective(recorded, allreduce, no_id, 2, 44, false, world);
    expect_collective(recorded, scan, no_id, 1, 48, false, world);
    expect_collective(recorded, exscan, no_id, 1, 52, false, world);
    expect_collective(recorded, gather, root, 1, 20, false, world);
    expect_collective(recorded, scatter, root, 1, 24, false, world);
    expect_collective(recorded, allgather, no_id, 1, 28, false, world);
    expect_collective(recorded, alltoall, no_id, 1, 32, false, world);
    const bool in_one_bucket = size_bucket(4 * size) == size_bucket(12 * size);
    if (in_one_bucket) {
        expect_collective(recorded, reduce_scatter, no_id, 2, 8 * size, false, world);
    } else {
        expect_collective(recorded, reduce_scatter, no_id, 1, 4 * size, false, world);
        expect_collective(recorded, reduce_scatter, no_id, 1, 12 * size, false, world);
    }
    EXPECT_EQ(recorded.phases[0].collectives.size(), in_one_bucket ? 13u : 14u);
    EXPECT_THAT(recorded.phases[0].sent.cells(), IsEmpty());
}

TEST_P(RecorderOnRanks, PutsLengthsByDestinationIntoPeerTraffic) {
    const Outcome outcome = record(n, program + " by_destination");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    const int root = n - 1;
    for (int r = 0; r < n; ++r) {
        Cells expected;
        for (int d = 0; d < n; ++d)
            if (d != r) add(expected, d, 10 * r + d + 1, 2);  // Alltoallv, Alltoallw
        if (r != root) add(expected, root, 100 + r);          // Gatherv
        for (int d = 0; r == root && d < n; ++d)
            if (d != r) add(expected, d, 100 + d);  // Scatterv
        for (const int bytes : {1100, 700}) {       // Neighbor_allgather, _allgatherv on a line
            if (r > 0) add(expected, r - 1, bytes);
            if (r < n - 1) add(expected, r + 1, bytes);
        }
        add(expected, (r + 1) % n, 5000, 2);  // Neighbor_alltoall, _alltoallv on a ring
        add(expected, (r + 1) % n, 1);        // Neighbor_alltoallw
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
    const auto world = ranks_below(n);
    const auto world_root = static_cast<RankId>(root);
    using enum CollectiveOp;
    // means over the ranks of 100 + r, rounded half up
    const auto mean = static_cast<std::uint64_t>((100 * n + n * (n - 1) / 2 + n / 2) / n);
    expect_collective(recorded, gather, world_root, 1, mean, true, world);
    expect_collective(recorded, scatter, world_root, 1, mean, true, world);
    expect_collective(recorded, allgather, no_id, 1, mean, false, world);
    expect_collective(recorded, neighbor_allgather, no_id, 2, 900, true, world);
    expect_collective(recorded, neighbor_alltoall, no_id, 3, 10001 / 3 + 1, true, world);
    ASSERT_NE(find(recorded, alltoall, no_id, true, world), nullptr);
    EXPECT_EQ(find(recorded, alltoall, no_id, true, world)->calls, 2u);
    ProcessTopology line{.communicator = 0,
                         .dims = {static_cast<std::uint32_t>(n)},
                         .periodic = {0},
                         .destinations = {}};
    ProcessTopology ring;
    for (int r = 0; r < n; ++r) ring.destinations.push_back({static_cast<RankId>((r + 1) % n)});
    EXPECT_EQ(recorded.topologies, (std::vector<ProcessTopology>{line, ring}));
}

/// Nonblocking and persistent forms have the sums of the blocking forms, which the tests above
/// check.
TEST_P(RecorderOnRanks, CountsNonblockingAndPersistentCollectives) {
    using Sums = std::map<CollectiveRecord::Key, std::array<std::uint64_t, 3>>;
    const auto recorded = [&](const std::string& scenario) {
        const Outcome outcome = record(n, program + " " + scenario);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return as_one_phase(n);
    };
    const auto add_up = [](const Profile& profile, Sums& sums) {
        for (const CollectiveRecord& each : profile.phases[0].collectives) {
            EXPECT_EQ(profile.communicators[each.communicator].size(), profile.num_ranks());
            auto key = each.key();
            std::get<0>(key) = 0;
            auto& sum = sums[key];
            sum[0] += each.calls;
            sum[1] += each.member_calls;
            sum[2] += each.member_bytes;
        }
    };
    Sums blocking;
    add_up(recorded("collectives"), blocking);
    const Profile by_destination = recorded("by_destination");
    add_up(by_destination, blocking);
    const bool in_c = program == "traffic";
    for (const auto& [scenario, call] :
         {std::pair{"nonblocking", "MPI_Iallreduce"}, std::pair{"started", "MPI_Allreduce_init"}}) {
        if (scenario == std::string("started") && !in_c) continue;
        const Profile profile = recorded(scenario);
        Sums sums;
        add_up(profile, sums);
        EXPECT_EQ(sums, blocking) << scenario;
        EXPECT_EQ(profile.phases[0].sent, by_destination.phases[0].sent) << scenario;
        EXPECT_FALSE(contains_call(profile, "MPI_Allreduce"));
        EXPECT_TRUE(contains_call(profile, call)) << call;
    }
}

TEST_F(RecorderTest, CountsEachStartOfAPersistentCollective) {
    const int n = 3;

    const Outcome outcome = record(n, "traffic persistent");

    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Profile recorded = as_one_phase(n);
    const auto world = ranks_below(n);
    using enum CollectiveOp;
    expect_collective(recorded, allreduce, no_id, 3, 44, false, world);
    expect_collective(recorded, barrier, no_id, 2, 0, false, world);
    ASSERT_NE(find(recorded, alltoall, no_id, true, world), nullptr);
    EXPECT_EQ(find(recorded, alltoall, no_id, true, world)->calls, 2u);
    EXPECT_EQ(recorded.phases[0].collectives.size(), 3u);
    for (int r = 0; r < n; ++r) {
        Cells expected;
        for (int d = 0; d < n; ++d)
            if (d != r) add(expected, d, 10 * r + d + 1, 2);
        EXPECT_EQ(cells_of(recorded, static_cast<std::size_t>(r)), expected) << "rank " << r;
    }
}

TEST_F(RecorderTest, KeepsGridsAndGraphs) {
    ASSERT_EQ(record(4, "traffic topologies").exit_code, 0);

    const Profile recorded = profile(4);
    ASSERT_EQ(recorded.communicators, (std::vector<std::vector<RankId>>{{0, 1, 2, 3}, {0, 1}}));
    const std::vector<ProcessTopology> expected = {
        {.communicator = 0, .dims = {2, 2}, .periodic = {0, 1}, .destinations = {}},
        {.communicator = 0, .dims = {2, 2}, .periodic = {1, 1}, .destinations = {}},
        {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {{1, 3}, {0}, {3}, {0, 2}}},
        {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {{0, 1}, {}, {}, {}}},
        {.communicator = 1, .dims = {2}, .periodic = {0}, .destinations = {}}};
    EXPECT_EQ(recorded.topologies, expected);
}

}  // namespace
}  // namespace commmap
