// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/counting/phase_log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace commmap::hooks {
namespace {

using Kind = PhaseEntry::Kind;

class PhaseLogTest : public testing::Test {
protected:
    PhaseLogTest() { log_.begin_slices(); }

    void add(std::uint32_t peer, std::uint64_t count = 1) {
        log_.add(arena_, Kind::sent, peer, 3, count, 10 * count);
    }
    /// Messages by section, of all entries.
    [[nodiscard]] std::map<std::uint32_t, std::uint64_t> messages() const {
        std::map<std::uint32_t, std::uint64_t> sums;
        for (std::uint32_t i = 0; i < log_.size(); ++i) {
            const PhaseEntry& entry = log_.entries()[i];
            EXPECT_EQ(entry.amount, 10 * entry.count);
            sums[entry.section] += entry.count;
        }
        return sums;
    }
    static std::uint32_t slice(std::uint32_t number) { return PhaseLog::slice_flag | number; }

    Arena arena_;
    PhaseLog log_;
};

TEST_F(PhaseLogTest, AddsUpWhatIsOfTheSameThing) {
    for (int i = 0; i < 1'000'000; ++i) add(static_cast<std::uint32_t>(i) % 100);

    EXPECT_LT(log_.size(), 2000u);
    EXPECT_EQ(messages(), (std::map<std::uint32_t, std::uint64_t>{{slice(0), 1'000'000}}));
    EXPECT_FALSE(log_.lost());
}

TEST_F(PhaseLogTest, HalvesSlices) {
    for (std::uint32_t i = 0; i < 5; ++i) {
        log_.open_section(slice(i));
        add(7, i + 1);
    }

    log_.halve_slices();

    EXPECT_EQ(log_.slice_s(), 2 * PhaseLog::first_slice_s);
    EXPECT_EQ(log_.open(), slice(2));
    EXPECT_EQ(messages(), (std::map<std::uint32_t, std::uint64_t>{
                              {slice(0), 3}, {slice(1), 7}, {slice(2), 5}}));
}

/// More peers than there is room for in so many slices: the slices become longer, the sums stay.
TEST_F(PhaseLogTest, LongerSlicesWhereMemoryIsShort) {
    constexpr std::uint32_t peers = 20'000;
    for (std::uint32_t i = 0; i < 64; ++i) {
        // which number a slice has changes with their length
        log_.open_section(
            slice(static_cast<std::uint32_t>(i * PhaseLog::first_slice_s / log_.slice_s())));
        for (std::uint32_t peer = 0; peer < peers; ++peer) add(peer);
    }

    EXPECT_FALSE(log_.lost());
    EXPECT_GT(log_.slice_s(), PhaseLog::first_slice_s);
    EXPECT_LE(log_.size(), PhaseLog::most_entries);
    std::uint64_t sum = 0;
    for (const auto& [section, count] : messages()) sum += count;
    EXPECT_EQ(sum, 64u * peers);
}

TEST_F(PhaseLogTest, SaysWhenOneSliceIsTooMuch) {
    for (std::uint32_t peer = 0; peer <= PhaseLog::most_entries; ++peer) add(peer);
    EXPECT_TRUE(log_.lost());
}

TEST_F(PhaseLogTest, LabelsTakeThePlaceOfSlices) {
    log_.open_section(slice(3));
    add(1);
    log_.drop_slices();
    EXPECT_TRUE(log_.is_labelled());
    EXPECT_EQ(log_.open(), 0u);
    const std::uint32_t solve = log_.label_number("solve");
    log_.open_section(solve);
    add(1, 5);

    EXPECT_EQ(messages(), (std::map<std::uint32_t, std::uint64_t>{{0, 1}, {solve, 5}}));
    EXPECT_EQ(log_.label_number("solve"), solve);
    EXPECT_STREQ(log_.label(solve), "solve");
}

TEST_F(PhaseLogTest, LabelsThatAreTooManyAreOthers) {
    log_.drop_slices();
    std::uint32_t last = 0;
    for (int i = 0; i < 100; ++i) last = log_.label_number(std::to_string(i).c_str());
    EXPECT_EQ(last, log_.num_labels());
    EXPECT_LT(last, PhaseLog::most_labels);
    EXPECT_STREQ(log_.label(last), "(others)");
    EXPECT_STREQ(log_.label(1), "0");
    EXPECT_EQ(log_.label_number("1"), 2u);
}

}  // namespace
}  // namespace commmap::hooks
