// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/thread_counters.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

namespace commmap::hooks {
namespace {

constexpr std::uint32_t num_ranks = 8;

struct Sums {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ticks = 0;
    int counters = 0;
};

Sums sums_of(const std::atomic<ThreadCounters*>& all) {
    Sums sums;
    for (const ThreadCounters* one = all.load(); one != nullptr; one = one->next) {
        ++sums.counters;
        sums.ticks += one->mpi_ticks();
        for (const PeerTable::Peer* peer = one->sent.first(); peer != nullptr; peer = peer->next)
            for (const PeerTable::Bucket& bucket : peer->buckets) {
                sums.messages += bucket.count.value();
                sums.bytes += bucket.bytes.value();
            }
    }
    return sums;
}

class ThreadTableTest : public testing::Test {
protected:
    void open(bool concurrent) {
        signatures_.open(arena_, rounds_);
        ASSERT_TRUE(table_.open(arena_, num_ranks, concurrent, all_, signatures_));
    }
    void count(std::uint64_t times) {
        for (std::uint64_t i = 0; i < times; ++i) {
            EXPECT_TRUE(table_.add(&ThreadCounters::sent, RoundAct::sent,
                                   static_cast<RankId>(i % num_ranks), 3));
            table_.add_call(MpiCall::Send, 2);
        }
    }
    void count_together(int num_threads, std::uint64_t times) {
        std::barrier together(num_threads);
        std::vector<std::thread> threads;
        for (int t = 0; t < num_threads; ++t)
            threads.emplace_back([&] {
                together.arrive_and_wait();
                count(times);
                together.arrive_and_wait();
            });
        for (std::thread& thread : threads) thread.join();
    }
    void expect(std::uint64_t messages, int counters) {
        const Sums sums = sums_of(all_);
        EXPECT_EQ(sums.messages, messages);
        EXPECT_EQ(sums.bytes, 3 * messages);
        EXPECT_EQ(sums.ticks, 2 * messages);
        EXPECT_EQ(sums.counters, counters);
    }

    Arena arena_;
    RoundLog rounds_;
    SignatureTable signatures_;
    ThreadTable table_;
    std::atomic<ThreadCounters*> all_{nullptr};
};

TEST_F(ThreadTableTest, WithoutConcurrencyAllThreadsHaveTheSame) {
    open(false);
    std::thread([&] { count(5); }).join();
    count(7);
    expect(12, 1);
}

TEST_F(ThreadTableTest, EachThreadHasItsOwn) {
    open(true);
    constexpr std::uint64_t times = 2'000'000;
    count_together(4, times);
    expect(4 * times, 5);
}

TEST_F(ThreadTableTest, AThreadGoesOnWhereOneHasEnded) {
    open(true);
    for (int i = 0; i < 1000; ++i) std::thread([&] { count(3); }).join();
    expect(3000, 2);
}

TEST_F(ThreadTableTest, ThreadsShareWhenThereIsNoMemory) {
    open(true);
    count_together(1, 2);  // its table is there, two of its peers are
    while (arena_.allocate(4096, Arena::max_bytes / 2) != nullptr) {
    }
    constexpr std::uint64_t times = 1'000'000;
    count_together(4, times);
    expect(2 + 4 * times, 2);
}

}  // namespace
}  // namespace commmap::hooks
