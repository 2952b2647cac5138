// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/section_source.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "core/base/memory_file.hpp"

namespace commmap {
namespace {

SectionSource file_of(const std::string& content, std::uint64_t size) {
    FileDescriptor file = memory_file("section_source_test", 0);
    EXPECT_EQ(::write(file.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    return {std::move(file), size};
}

TEST(SectionSource, ReadsARangeOfATextAndOfAFile) {
    const std::string content = "0123456789";
    EXPECT_EQ(SectionSource(content).read(3, 4).value().view(), "3456");
    EXPECT_EQ(file_of(content, 10).read(3, 4).value().view(), "3456");
    EXPECT_EQ(file_of(content, 10).read(10, 0).value().view(), "");
}

TEST(SectionSource, AFileThatBecameShorterIsCorrupt) {
    const auto bytes = file_of("0123", 10).read(2, 8);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, Errc::corrupt);
    EXPECT_NE(bytes.error().message.find("shorter"), std::string::npos) << bytes.error().message;
}

}  // namespace
}  // namespace commmap
