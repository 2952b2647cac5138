// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/size_bucket.hpp"

#include <gtest/gtest.h>

namespace commmap {
namespace {

TEST(SizeBucket, HasRiesensLimits) {
    EXPECT_EQ(size_bucket(0), 0u);
    EXPECT_EQ(size_bucket(16), 0u);
    EXPECT_EQ(size_bucket(17), 1u);
    EXPECT_EQ(size_bucket(64), 1u);
    EXPECT_EQ(size_bucket(65), 2u);
    EXPECT_EQ(size_bucket(std::uint64_t{64} << 20), 11u);
    EXPECT_EQ(size_bucket((std::uint64_t{64} << 20) + 1), 12u);
    EXPECT_EQ(size_bucket(UINT64_MAX), 12u);
}

TEST(SizeBucket, EndsAtTheLimitOfEachBucket) {
    for (std::size_t bucket = 0; bucket + 1 < num_size_buckets; ++bucket) {
        EXPECT_EQ(size_bucket(bucket_limit_bytes(bucket)), bucket);
        EXPECT_EQ(size_bucket(bucket_limit_bytes(bucket) + 1), bucket + 1);
    }
}

}  // namespace
}  // namespace commmap
