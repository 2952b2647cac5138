// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/amount.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(Amount, RanksAndAmounts) {
    EXPECT_EQ(parse_rank("16777215").value(), 16777215U);
    EXPECT_FALSE(parse_rank("16777216"));
    EXPECT_FALSE(parse_rank("99999999999999999999999"));
    EXPECT_FALSE(parse_rank(""));
    EXPECT_FALSE(parse_rank("+1"));
    EXPECT_FALSE(parse_rank("1.0"));
    EXPECT_EQ(parse_amount("18446744073709551615", "bytes").value(), UINT64_MAX);
    EXPECT_EQ(parse_amount("0.4", "bytes").value(), 0U);
    EXPECT_EQ(parse_amount("0.5", "bytes").value(), 1U);
    EXPECT_EQ(parse_amount("1E3", "bytes").value(), 1000U);
    // the largest double below 2^64, and 2^64
    EXPECT_EQ(parse_amount("18446744073709549568.0", "bytes").value(), 18446744073709549568U);
    EXPECT_FALSE(parse_amount("18446744073709551616.0", "bytes"));
}

}  // namespace
}  // namespace commmap
