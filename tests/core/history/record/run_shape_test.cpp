// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/run_shape.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace commmap {
namespace {

std::uint64_t shape(const std::vector<std::uint32_t>& tasks, std::uint32_t cpus = 1) {
    return run_shape(tasks, cpus);
}

TEST(RunShape, NamesAndOrderOfNodesDoNotCount) {
    EXPECT_EQ(shape({4, 4, 8}), shape({8, 4, 4}));
    EXPECT_EQ(shape({4, 4, 0}), shape({4, 4}));
    EXPECT_NE(shape({4, 4, 8}), shape({4, 4, 4, 4}));
    EXPECT_NE(shape({4, 4, 8}), shape({4, 8, 8}));
    EXPECT_NE(shape({1, 2}), shape({12}));
    EXPECT_NE(shape({4}), shape({4}, 2));
}

TEST(RunShape, ArgumentsAreTheWordsBehindTheProgram) {
    using List = std::vector<std::string>;
    EXPECT_EQ(arguments_digest(List{"./app", "-n", "4"}),
              arguments_digest(List{"/x/app", "-n", "4"}));
    EXPECT_NE(arguments_digest(List{"./app", "-n", "4"}), arguments_digest(List{"./app", "-n4"}));
    EXPECT_NE(arguments_digest(List{"./app", "a", ""}), arguments_digest(List{"./app", "a"}));
    EXPECT_NE(arguments_digest(List{"./app"}), 0U);
    EXPECT_EQ(arguments_digest(List{"./app"}), arguments_digest(List{}));
    // The planner sees 63 of them.
    List many(64, "x");
    List more = many;
    more.emplace_back("y");
    EXPECT_EQ(arguments_digest(many), arguments_digest(more));
}

}  // namespace
}  // namespace commmap
