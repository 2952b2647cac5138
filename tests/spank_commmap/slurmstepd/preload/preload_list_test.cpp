// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/preload_list.hpp"

#include <gtest/gtest.h>

namespace commmap::spank {
namespace {

TEST(PreloadList, AddsOnceAtTheBeginning) {
    EXPECT_EQ(with_entry("", "/l/a.so"), "/l/a.so");
    EXPECT_EQ(with_entry("/x.so /y.so", "/l/a.so"), "/l/a.so:/x.so:/y.so");
    EXPECT_EQ(with_entry("/l/a.so:/y.so", "/l/a.so"), "/l/a.so:/y.so");
    EXPECT_EQ(with_entry("/y.so:/l/a.so", "/l/a.so"), "/l/a.so:/y.so");
    EXPECT_EQ(with_entry("/older/a.so:/y.so", "/l/a.so"), "/l/a.so:/y.so");
    EXPECT_EQ(with_entry(" : ", "/l/a.so"), "/l/a.so");
}

TEST(PreloadList, ASanitizerStaysFirst) {
    EXPECT_EQ(with_entry("/usr/lib/libasan.so.8 /y.so", "/l/a.so"),
              "/usr/lib/libasan.so.8:/l/a.so:/y.so");
    EXPECT_EQ(with_entry("libtsan.so.2", "/l/a.so"), "libtsan.so.2:/l/a.so");
    EXPECT_EQ(with_entry("/y.so:libasan.so.8", "/l/a.so"), "/l/a.so:/y.so:libasan.so.8");
}

TEST(PreloadList, RemovesByFileName) {
    EXPECT_EQ(without_file("/l/a.so", "a.so"), "");
    EXPECT_EQ(without_file("/x.so:/l/a.so /y.so", "a.so"), "/x.so:/y.so");
    EXPECT_EQ(without_file("/x/aa.so:a.so", "a.so"), "/x/aa.so");
}

TEST(PreloadList, APathWithASeparatorCannotBePreloaded) {
    EXPECT_TRUE(can_be_preloaded("/opt/commmap/a.so"));
    EXPECT_FALSE(can_be_preloaded("/opt/my tools/a.so"));
    EXPECT_FALSE(can_be_preloaded("/opt/x:y/a.so"));
}

}  // namespace
}  // namespace commmap::spank
