// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/slurm_counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace commmap {
namespace {

TEST(SlurmCounts, RepeatsCounts) {
    const auto counts = parse_slurm_counts("4(x3),2");

    ASSERT_TRUE(counts) << counts.error().message;
    EXPECT_EQ(counts.value(), (std::vector<std::uint32_t>{4, 4, 4, 2}));
}

TEST(SlurmCounts, RefusesWhatSlurmDoesNotWrite) {
    for (const char* bad : {"", ",", "4,", "0", "4(x0)", "4(x3", "4(3)", "-1", "4(x3),,2", "4 4",
                            "four", "4(x99999999)", "99999999999", "1(x1048576),1"}) {
        EXPECT_FALSE(parse_slurm_counts(bad)) << bad;
    }
}

}  // namespace
}  // namespace commmap
