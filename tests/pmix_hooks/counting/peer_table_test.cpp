// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/peer_table.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <thread>
#include <vector>

namespace commmap::hooks {
namespace {

TEST(PeerTable, PutsMessagesIntoTheirBuckets) {
    Arena arena;
    PeerTable table;
    ASSERT_TRUE(table.open(arena, 3, false));

    for (const std::uint64_t bytes :
         {std::uint64_t{0}, std::uint64_t{16}, std::uint64_t{17}, std::uint64_t{1} << 40})
        ASSERT_TRUE(table.add(2, bytes));

    ASSERT_NE(table.first(), nullptr);
    const PeerTable::Peer& peer = *table.first();
    EXPECT_EQ(peer.rank, 2u);
    EXPECT_EQ(peer.next, nullptr);
    EXPECT_EQ(peer.buckets[0].count.value(), 2u);
    EXPECT_EQ(peer.buckets[0].bytes.value(), 16u);
    EXPECT_EQ(peer.buckets[1].count.value(), 1u);
    EXPECT_EQ(peer.buckets[12].bytes.value(), std::uint64_t{1} << 40);
}

TEST(Arena, GivesNoMoreThanItsLimit) {
    Arena arena;
    std::size_t got = 0;
    while (arena.allocate(std::size_t{100} << 10) != nullptr) got += std::size_t{100} << 10;

    EXPECT_LE(got, Arena::max_bytes);
    EXPECT_GT(got, Arena::max_bytes - Arena::max_bytes / 4);
    EXPECT_EQ(arena.allocate(SIZE_MAX - 100), nullptr);
}

TEST(PeerTable, LosesNothingWhenThreadsMeet) {
    constexpr std::uint64_t per_thread = 4'000'000;
    Arena arena;
    PeerTable table;
    ASSERT_TRUE(table.open(arena, 8, true));
    std::barrier together(4);

    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            together.arrive_and_wait();
            for (std::uint64_t i = 0; i < per_thread; ++i) table.add(static_cast<RankId>(i % 8), 3);
        });
    for (std::thread& thread : threads) thread.join();

    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::set<RankId> ranks;
    for (const PeerTable::Peer* peer = table.first(); peer != nullptr; peer = peer->next) {
        ranks.insert(peer->rank);
        messages += peer->buckets[0].count.value();
        bytes += peer->buckets[0].bytes.value();
    }
    EXPECT_EQ(ranks.size(), 8u);
    EXPECT_EQ(messages, 4 * per_thread);
    EXPECT_EQ(bytes, 3 * 4 * per_thread);
}

TEST(Arena, GivesZeroedAlignedMemoryOfAnySize) {
    Arena arena;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100},
                                    std::size_t{1} << 19, std::size_t{3} << 20}) {
        auto* memory = arena.make_array<unsigned char>(bytes);
        ASSERT_NE(memory, nullptr) << bytes;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u) << bytes;
        for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory[i], 0) << bytes;
        for (std::size_t i = 0; i < bytes; ++i)
            memory[i] = 0xff;  // what comes next must not be here
    }
}

TEST(Arena, SaysWhenThereIsNoMore) {
    Arena arena;
    EXPECT_EQ(arena.allocate(std::size_t{1} << 60), nullptr);
}

}  // namespace
}  // namespace commmap::hooks
