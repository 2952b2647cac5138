// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/text/text_table.hpp"

#include <gmock/gmock.h>

namespace commmap {
namespace {

using testing::ElementsAre;

TEST(Aligned, PutsCellsInColumns) {
    EXPECT_THAT(aligned({{"node", "ranks"}, {"m10", "0-1"}, {}, {"alone"}}),
                ElementsAre("node   ranks", "m10    0-1", "", "alone"));
    EXPECT_TRUE(aligned({}).empty());
}

}  // namespace
}  // namespace commmap
