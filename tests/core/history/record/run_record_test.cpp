// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/run_record.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

#include "core/history/records.hpp"

namespace commmap {
namespace {

TEST(RunRecord, IsReadAsItWasWritten) {
    for (const LaunchedAs way : {LaunchedAs::placed, LaunchedAs::kept, LaunchedAs::profiled,
                                 LaunchedAs::off, LaunchedAs::explored, LaunchedAs::reversed}) {
        RunRecord record = some_record(way, 1.25, 3);
        if (way != LaunchedAs::off) record.clock = RunClock::mpi;
        if (way == LaunchedAs::kept) record.mpi_s = 0.75;

        const auto text = encode_record(record);

        ASSERT_TRUE(text) << text.error().message;
        EXPECT_LE(text.value().size(), most_record_bytes);
        const auto again = decode_record(text.value());
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again.value(), record);
        EXPECT_FALSE(name_of(way).empty());
    }
}

TEST(RunRecord, TheLongestOnesFit) {
    // as long as identities get: a script's behind an interpreter's, and a tag
    RunRecord record = some_record(LaunchedAs::placed, 1e8);
    record.application_id = std::string(180, 'x');
    record.program = std::string(64, 'y');

    const auto text = encode_record(record);

    ASSERT_TRUE(text) << text.error().message;
    EXPECT_LE(text.value().size(), most_record_bytes);
    record.application_id += 'x';
    EXPECT_FALSE(encode_record(record));
}

TEST(RunRecord, WhatMakesNoSenseIsRefused) {
    const double infinite = std::numeric_limits<double>::infinity();
    const double no_number = std::numeric_limits<double>::quiet_NaN();
    for (const double wall_s : {0.0, -1.0, infinite, no_number, 1e10})
        EXPECT_FALSE(encode_record(some_record(LaunchedAs::off, wall_s))) << wall_s;
    RunRecord record = some_record(LaunchedAs::placed, 1.0);
    record.run.predicted_s = no_number;
    EXPECT_FALSE(encode_record(record));
    record = some_record(LaunchedAs::placed, 1.0);
    record.num_nodes = 17;  // of 16 ranks
    EXPECT_FALSE(encode_record(record));
}

TEST(RunRecord, DamageIsFound) {
    const std::string text = encode_record(some_record(LaunchedAs::placed, 1.25)).value();
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = text;
        const std::size_t place = random() % damaged.size();
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << (random() % 8)));
        EXPECT_FALSE(decode_record(damaged)) << place;
    }
    for (std::size_t size = 0; size < text.size(); ++size)
        EXPECT_FALSE(decode_record(text.substr(0, size))) << size;
    EXPECT_FALSE(decode_record(text + "x"));
    EXPECT_FALSE(decode_record(std::string(1 << 20, 'x')));
}

TEST(RunRecord, AnotherVersionIsCalledSo) {
    std::string text = encode_record(some_record(LaunchedAs::off, 1.0)).value();
    text.replace(text.find(" 1 "), 3, " 2 ");

    const auto record = decode_record(text);

    ASSERT_FALSE(record);
    EXPECT_EQ(record.error().code, Errc::not_supported);
}

}  // namespace
}  // namespace commmap
