// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/stored_name.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace commmap {
namespace {

TEST(StoredName, IsReadAsItWasWritten) {
    for (const StoredName& name : {
             StoredName{"build-id:0a", 16, "", false},
             StoredName{"xxh128:0a", 1, "20261123T063105Z-1234.0-1a2b3c4d", false},
             StoredName{"build-id:0a.script-00ff+large-np4", 16, "20261123T063105Z-00000000", true},
             StoredName{"../../etc/x y\n", 2, "", false},
             StoredName{"build-id:0a+a-np4.b", 16, "20261123T063105Z-00000000", false},
         }) {
        const std::string file = file_name_of(name);
        EXPECT_EQ(file.find('/'), std::string::npos) << file;
        EXPECT_EQ(profile_key_of(file), profile_key(name.application_id, name.num_ranks)) << file;
        EXPECT_TRUE(is_of(file, name.application_id)) << file;
        EXPECT_FALSE(is_of(file, name.application_id.substr(1))) << file;
        const auto parsed = parse_stored_name(file);
        ASSERT_TRUE(parsed) << file;
        EXPECT_TRUE(*parsed == name) << file;
    }
    EXPECT_EQ(file_name_of({"build-id:0a+x", 16, "", true}), "build-id-0a+x-np16.commmap.partial");
    EXPECT_EQ(file_name_of({"../../etc/x y\n", 2, "", false}),
              "%2E.%2F..%2Fetc%2Fx%20y%0A-np2.commmap");
}

TEST(StoredName, IsNeverTooLong) {
    constexpr std::size_t name_max = 255;
    constexpr std::size_t of_a_temporary_file = 11;
    const auto name = [](std::size_t letters) {
        return StoredName{std::string(letters, '/'), std::numeric_limits<std::uint32_t>::max(),
                          run_name(std::numeric_limits<std::uint32_t>::max(),
                                   std::numeric_limits<std::uint32_t>::max(),
                                   std::numeric_limits<std::uint32_t>::max(), "x"),
                          true};
    };
    EXPECT_LE(file_name_of(name(5000)).size() + of_a_temporary_file, name_max);
    EXPECT_NE(file_name_of(name(5000)), file_name_of(name(5001)));
}

TEST(StoredName, OtherFilesHaveNone) {
    for (const char* file : {"x-npz.commmap", "x-np.commmap", "-np1.commmap", "x-np1", "x-np1.",
                             "x-np1.commmap.a1b2c3", "x-np1..commmap", "x-np1x.commmap",
                             "x-np1.a/b.commmap", "x-np99999999999999999999.commmap"})
        EXPECT_FALSE(parse_stored_name(file)) << file;
}

TEST(StoredName, NamesOfRunsAreInOrder) {
    EXPECT_EQ(run_name(1'795'415'465, 1234, 0, "content").substr(0, 24),
              "20261123T063105Z-1234.0-");
    EXPECT_LT(run_name(999, 9, 9, "b"), run_name(1000, 1, 1, "a"));
    EXPECT_NE(run_name(999, 1, 0, "a"), run_name(999, 1, 0, "b"));
    EXPECT_TRUE(is_run_of(run_name(999, 12, 3, "a"), 12, 3));
    EXPECT_FALSE(is_run_of(run_name(999, 12, 3, "a"), 2, 3));
    EXPECT_FALSE(is_run_of(run_name(999, 0, 0, "a"), 0, 0));
    EXPECT_TRUE(is_read_before({"a", 1, "2", false}, {"a", 1, "1", false}));
    EXPECT_TRUE(is_read_before({"a", 1, "1", false}, {"a", 1, "", false}));
    EXPECT_TRUE(is_read_before({"a", 1, "", false}, {"a", 1, "3", true}));
}

}  // namespace
}  // namespace commmap
