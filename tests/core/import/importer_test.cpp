// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/import/importer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/import/import_text.hpp"
#include "core/profile/format/profile_codec.hpp"

namespace commmap {
namespace {

using testing::HasSubstr;

TEST(Importer, EachFormatHasOneWayToBeRead) {
    std::set<std::string_view> names;
    for (const ImportFormat& format : import_format_table()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_NE(format.read == nullptr, format.read_archive == nullptr) << format.name;
        EXPECT_FALSE(format.help.empty() || format.files.empty()) << format.name;
    }
}

TEST(Importer, AnyJunkIsRefusedInOneLineByEachFormat) {
    const std::string nul("\0\0\0\0", 4);
    for (const ImportFormat& format : import_format_table()) {
        if (format.read == nullptr) continue;
        for (const std::string& text :
             {std::string(), nul, std::string("\n\n\n"), std::string("<a><b></a>"),
              std::string("COMMMAP\n\1\0\0", 11), std::string(100000, '\xff'),
              std::string(100000, ' '), std::string(100000, '<')}) {
            const std::string why = refused(format.name, {text});
            EXPECT_FALSE(why.empty()) << format.name;
            EXPECT_EQ(why.find('\n'), std::string::npos) << format.name;
            EXPECT_LT(why.size(), 500U) << format.name;
            EXPECT_TRUE(why.starts_with("a:")) << format.name << ": " << why;
        }
    }
}

TEST(Importer, WhatIsImportedCanBeWrittenAndReadAgain) {
    const auto imported = import_text("edges", {"0 1 5\n1 2 7 3\n"});
    ASSERT_TRUE(imported) << imported.error().message;

    const auto again = decode_profile(encode_profile(imported.value().profile));

    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again.value(), imported.value().profile);
}

TEST(Importer, FilesThatAreNotThere) {
    for (const ImportFormat& format : import_format_table()) {
        const auto absent = import_profile_files(format, std::vector<std::string>{"/no/such"}, {});
        ASSERT_FALSE(absent) << format.name;
        EXPECT_THAT(absent.error().message, HasSubstr("/no/such"));
        const auto directory = import_profile_files(format, std::vector<std::string>{"/"}, {});
        ASSERT_FALSE(directory) << format.name;
        const auto none = import_profile_files(format, std::vector<std::string>{}, {});
        ASSERT_FALSE(none) << format.name;
    }
}

}  // namespace
}  // namespace commmap
