// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/threads.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>

#include "support/comes_true.hpp"

namespace {
std::atomic<bool> no_more_threads{false};
}  // namespace

/// The one that std::thread calls: fails on request.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) noexcept {
    if (no_more_threads) return EAGAIN;
    static const auto real =
        reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return real(thread, attributes, start, argument);
}

namespace commmap {
namespace {

/// Whether a second thread is to be had.
bool two_at_once(Threads& threads) {
    std::thread::id of_first;
    std::thread::id of_second;
    threads.parallel_invoke([&] { of_first = std::this_thread::get_id(); },
                            [&] { of_second = std::this_thread::get_id(); });
    return of_first != of_second;
}

TEST(Threads, OfOneCallBothInOrder) {
    Threads threads(1);
    std::string called;

    threads.parallel_invoke([&] { called += '1'; }, [&] { called += '2'; });

    EXPECT_EQ(called, "12");
    EXPECT_FALSE(two_at_once(threads));
    Threads none(0);
    EXPECT_FALSE(two_at_once(none));
}

TEST(Threads, OfTwoDoBothAtOnce) {
    Threads threads(2);
    std::atomic<int> begun{0};
    bool first_met = false;
    bool second_met = false;
    const auto meet = [&begun] {
        ++begun;
        return comes_true([&] { return begun == 2; });
    };

    threads.parallel_invoke([&] { first_met = meet(); }, [&] { second_met = meet(); });

    EXPECT_TRUE(first_met && second_met);
}

TEST(Threads, AnExceptionOfOneComesWhenBothAreDone) {
    for (const unsigned most : {1U, 2U, 7U}) {
        Threads threads(most);
        for (int throwing = 1; throwing <= 3; ++throwing) {
            std::atomic<int> done{0};
            const auto work = [&](int number) {
                ++done;
                if ((throwing & number) != 0) throw std::runtime_error(std::to_string(number));
            };
            std::string thrown;
            try {
                threads.parallel_invoke([&] { work(1); }, [&] { work(2); });
            } catch (const std::runtime_error& error) {
                thrown = error.what();
            }
            EXPECT_EQ(done, 2) << most << " threads, throwing " << throwing;
            EXPECT_EQ(thrown, throwing == 2 ? "2" : "1") << most << " threads";
        }
        EXPECT_EQ(two_at_once(threads), most > 1) << "a thread was not given back";
    }
}

TEST(Threads, AnExceptionComesOutOfPieces) {
    for (const unsigned most : {1U, 4U}) {
        Threads threads(most);
        std::atomic<int> done{0};
        EXPECT_THROW(threads.parallel_for(100, 10,
                                          [&](std::size_t begin, std::size_t /*end*/) {
                                              ++done;
                                              if (begin == 30) throw std::length_error("too long");
                                          }),
                     std::length_error);
        EXPECT_EQ(done, 10);
    }
}

TEST(Threads, WithoutAThreadBothAreCalledHere) {
    Threads threads(2);
    std::string called;
    no_more_threads = true;

    threads.parallel_invoke([&] { called += '1'; }, [&] { called += '2'; });
    EXPECT_THROW(
        threads.parallel_invoke([] { throw std::runtime_error("first"); }, [&] { called += '2'; }),
        std::runtime_error);

    no_more_threads = false;
    EXPECT_EQ(called, "122");
    EXPECT_TRUE(two_at_once(threads)) << "what could not be made was not given back";
}

TEST(Threads, AsManyAsAskedForAndNeverMore) {
    for (const unsigned most : {1U, 2U, 5U}) {
        Threads threads(most);
        std::mutex mutex;
        unsigned now = 0;
        unsigned peak = 0;
        const auto counted = [&](unsigned& number) {
            const std::lock_guard lock(mutex);
            return number;
        };

        threads.parallel_for(200, 1, [&](std::size_t /*begin*/, std::size_t /*end*/) {
            {
                const std::lock_guard lock(mutex);
                peak = std::max(peak, ++now);
            }
            EXPECT_TRUE(comes_true([&] { return counted(peak) >= most; }));
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            const std::lock_guard lock(mutex);
            --now;
        });

        EXPECT_EQ(peak, most);
    }
}

TEST(Threads, WhoIsDoneFirstLeavesItsThreadToTheOther) {
    Threads threads(2);
    bool left = false;
    const auto is_long = [&] { left = comes_true([&] { return two_at_once(threads); }); };

    threads.parallel_invoke([] {}, is_long);
    EXPECT_TRUE(left) << "the second is still at work";

    left = false;
    threads.parallel_invoke(is_long, [] {});
    EXPECT_TRUE(left) << "the first is still at work";
}

TEST(Threads, PiecesAreAllAndEachOnce) {
    for (const unsigned most : {1U, 3U}) {
        Threads threads(most);
        for (const std::size_t piece : {1U, 7U, 64U}) {
            for (const std::size_t count : {0U, 1U, 6U, 7U, 8U, 63U, 64U, 65U, 700U}) {
                std::vector<int> calls(count, 0);
                threads.parallel_for(count, piece, [&](std::size_t begin, std::size_t end) {
                    EXPECT_EQ(begin % piece, 0U);  // so that begin / piece numbers them
                    EXPECT_LT(begin, end);
                    EXPECT_LE(end - begin, piece);
                    for (std::size_t i = begin; i < end; ++i) ++calls[i];
                });
                EXPECT_EQ(calls, std::vector<int>(count, 1)) << count << " by " << piece;
            }
        }
    }
}

}  // namespace
}  // namespace commmap
