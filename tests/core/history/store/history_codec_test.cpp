// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/history_codec.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/history/record/checked_text.hpp"
#include "core/history/records.hpp"

namespace commmap {
namespace {

ProgramHistory some_history(std::uint32_t seed, unsigned num_runs) {
    std::mt19937 random(seed);
    ProgramHistory history("build-id:0a1b+tag", 16);
    for (std::uint32_t i = 0; i < num_runs; ++i) {
        RunRecord record = some_record(static_cast<LaunchedAs>(random() % 6),
                                       1.0 + static_cast<double>(random() % 1000) / 1e3, i);
        record.shape = random() % 3;
        record.run.basis = random() % 3;
        if (random() % 2 == 0) record.mpi_s = 0.5 * record.run.wall_s;
        if (record.run.launched_as == LaunchedAs::placed) record.run.wall_s *= 2.0;
        history.add(record);
    }
    return history;
}

TEST(HistoryCodec, IsReadAsItWasWritten) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const ProgramHistory history = some_history(seed, 10 * seed * seed);
        const auto again = decode_history(encode_history(history));
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again.value(), history);
    }
}

TEST(HistoryCodec, AHistoryThatWasReadGoesOnAsTheOther) {
    ProgramHistory history = some_history(1, 100);
    ProgramHistory other = decode_history(encode_history(history)).value();
    for (std::uint32_t i = 0; i < 100; ++i) {
        const RunRecord record = some_record(LaunchedAs::placed, 3.0 + 0.001 * i, 1000 + i);
        EXPECT_EQ(history.add(record), other.add(record));
    }
    EXPECT_EQ(history, other);
}

TEST(HistoryCodec, DamageIsFound) {
    const std::string text = encode_history(some_history(1, 40));
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = text;
        const std::size_t place = random() % damaged.size();
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << (random() % 8)));
        EXPECT_FALSE(decode_history(damaged)) << place;
        EXPECT_FALSE(decode_history(std::string_view(text).substr(0, place))) << place;
    }
    EXPECT_FALSE(decode_history(""));
    EXPECT_FALSE(decode_history(std::string(1 << 20, '\n')));
}

/// Made by hand: the hash is right, and the rest is anything.
TEST(HistoryCodec, NonsenseUnderARightHashIsRefusedOrIsAHistory) {
    const std::string text = encode_history(some_history(1, 40));
    const std::string body = text.substr(text.find('\n') + 1);
    std::mt19937 random(1);
    for (int round = 0; round < 5000; ++round) {
        std::string other = body;
        for (int change = 0; change < 3; ++change)
            other[random() % other.size()] = static_cast<char>(random());
        const auto history = decode_history(with_first_line({"commmap-history", "1"}, other));
        if (!history) continue;
        EXPECT_LE(history.value().groups().size(), 2 * ProgramHistory::most_groups);
        for (const RunGroup& group : history.value().groups()) {
            for (const PastRun& run : group.by_default.runs) EXPECT_GT(run.wall_s, 0.0);
            for (const RunArm& arm : group.placed) {
                if (arm.error) {
                    EXPECT_TRUE(arm.error->is_sound());
                }
            }
        }
    }
}

TEST(HistoryCodec, AnotherVersionIsCalledSo) {
    std::string text = encode_history(some_history(1, 4));
    text.replace(text.find(" 1 "), 3, " 9 ");
    EXPECT_EQ(decode_history(text).error().code, Errc::not_supported);
}

}  // namespace
}  // namespace commmap
