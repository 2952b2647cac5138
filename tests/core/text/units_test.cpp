// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/units.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(Bandwidth, CountsBitsAndBytes) {
    EXPECT_DOUBLE_EQ(parse_bandwidth_bytes_per_s("100 Mbit/s").value(), 12.5e6);
    EXPECT_DOUBLE_EQ(parse_bandwidth_bytes_per_s(" 1.5 GiB/s ").value(), 1.5 * 1024 * 1024 * 1024);
    EXPECT_DOUBLE_EQ(parse_bandwidth_bytes_per_s("2GB/s").value(), 2e9);
}

TEST(Bandwidth, RefusesWhatCarriesNothing) {
    for (const char* text :
         {"0 MB/s", "-1 MB/s", "100", "100 Mb/s", "fast", "", "inf B/s", "nan B/s"}) {
        const auto value = parse_bandwidth_bytes_per_s(text);
        ASSERT_FALSE(value) << text;
        EXPECT_EQ(value.error().code, Errc::invalid_input) << text;
        EXPECT_EQ(value.error().message.find('\n'), std::string::npos);
    }
}

TEST(Bandwidth, NamesTheKnownUnitsWhenOneIsMissing) {
    const auto value = parse_bandwidth_bytes_per_s("100");
    ASSERT_FALSE(value);
    EXPECT_NE(value.error().message.find("Mbit/s"), std::string::npos) << value.error().message;
}

TEST(Time, IsNanoseconds) {
    EXPECT_DOUBLE_EQ(parse_time_ns("60 us").value(), 60000.0);
    EXPECT_DOUBLE_EQ(parse_time_ns("0 s").value(), 0.0);
    EXPECT_FALSE(parse_time_ns("-1 us"));
}

TEST(Length, IsBytes) {
    EXPECT_EQ(parse_length_bytes("64 KiB").value(), 65536U);
    EXPECT_EQ(parse_length_bytes("1 MB").value(), 1000000U);
    EXPECT_FALSE(parse_length_bytes("64"));
    EXPECT_EQ(parse_length_bytes("10000000000000 GB").error().code, Errc::out_of_range);
}

TEST(Format, HasThreeDigits) {
    EXPECT_EQ(format_bytes(1234567), "1.23 MB");
    EXPECT_EQ(format_bytes(12), "12.0 B");
    EXPECT_EQ(format_seconds(0.0123), "12.3 ms");
    EXPECT_EQ(format_seconds(123.4), "123 s");
}

}  // namespace
}  // namespace commmap
