// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/inside/collective_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace commmap::inside {
namespace {

using testing::HasSubstr;

const std::string text = R"(version: 1
library: Open MPI v4.1.4
origin: by hand
layouts:
  - nodes: 8
    ranks_per_node: 2
    algorithms:
      - operation: bcast
        order: cyclic
        algorithm: chain 8192
        calls:
          - [65536, 12400, 3100, 3.8]
          - [131072, 24000.5, 6000, 3.9]
)";

CollectiveTimes times() {
    return {"Open MPI v4.1.4",
            "by hand",
            {{8,
              2,
              {{CollectiveOp::bcast,
                RankOrder::cyclic,
                {AlgorithmKind::chain, 8192},
                {{65536, 12400.0, 3100.0, 3.8}, {131072, 24000.5, 6000.0, 3.9}}}}}}};
}

TEST(CollectiveTimes, AreReadAsTheyStand) {
    const auto read = parse_collective_times("t.yaml", text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read.value(), times());
}

TEST(CollectiveTimes, AreReadAsTheyAreWritten) {
    CollectiveTimes written = times();
    written.layouts[0].algorithms[0].calls[1].native_us = 24000.0;  // four digits are written
    written.library = "A: \"library\", # \\ of 2\n lines";
    const auto read = parse_collective_times("t.yaml", text_of(written));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read.value(), written);
}

struct Wrong {
    std::string part;
    std::string by;
    std::string why;
};
class WrongTimes : public testing::TestWithParam<Wrong> {};

TEST_P(WrongTimes, AreRefusedWithTheirPlace) {
    const auto& [part, by, why] = GetParam();
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), by);
    const auto read = parse_collective_times("t.yaml", changed);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("t.yaml:"));
    EXPECT_THAT(read.error().message, HasSubstr(why));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongTimes,
    testing::Values(Wrong{"version: 1", "version: 2", "version '2' is not known"},
                    Wrong{"version: 1\n", "", "has no 'version'"},
                    Wrong{"nodes: 8", "nodes: 0", "'nodes' is not a whole number from 1"},
                    Wrong{"nodes: 8", "nodse: 8", "unknown key 'nodse'"},
                    Wrong{"bcast", "scan", "the operation is none of"},
                    Wrong{"cyclic", "random", "'order' is neither 'block' nor 'cyclic'"},
                    Wrong{"chain 8192", "ring", "no such algorithm"},
                    Wrong{"[65536,", "[131072,", "the bytes of calls must ascend"},
                    Wrong{"12400", "-1", "is not a number above 0"},
                    Wrong{"12400", "nan", "is not a number above 0"},
                    Wrong{", 3.8]", "]", "a call is [bytes"}));

TEST(CollectiveTimes, ALayoutStandsOnce) {
    const std::string layout = text.substr(text.find("  - nodes"));
    const auto read = parse_collective_times("t.yaml", text + layout);
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, HasSubstr("stands twice"));
}

TEST(CollectiveTimes, AFileThatIsNotThereIsSaid) {
    const auto read = read_collective_times("/nowhere/collectives.yaml");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::not_found);
    EXPECT_THAT(read.error().message, HasSubstr("/nowhere/collectives.yaml"));
}

}  // namespace
}  // namespace commmap::inside
