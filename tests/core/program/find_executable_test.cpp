// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/find_executable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/program/program_files.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using FindExecutableTest = ProgramFiles;

TEST_F(FindExecutableTest, FindsCommandsAsExecvpDoes) {
    fs::create_directories(directory_ + "/a/prog");  // a directory of that name is passed over
    fs::create_directories(directory_ + "/b");
    const std::string program = write("b/prog", "#!/bin/sh\n");
    write("b/data", "x", 0644);
    const std::string search = directory_ + "/none:" + directory_ + "/a:" + directory_ + "/b";

    EXPECT_EQ(find_executable("prog", search, "/").value(), program);
    EXPECT_EQ(find_executable("b/prog", search, directory_).value(), program);
    EXPECT_EQ(find_executable("./prog", "", directory_ + "/b").value(), directory_ + "/b/./prog");
    EXPECT_EQ(find_executable(program, "", "/").value(), program);
    EXPECT_EQ(find_executable("prog", ":/nowhere", directory_ + "/b").value(), program)
        << "an empty part of the search path is the directory";
    EXPECT_EQ(find_executable("sh", "", "/").value(), "/bin/sh");
    EXPECT_EQ(find_executable("data", search, "/").error().code, Errc::not_found);
    EXPECT_EQ(find_executable("./data", "", directory_ + "/b").error().code, Errc::not_found);
    EXPECT_EQ(find_executable("./a", "", directory_).error().code, Errc::invalid_input);
    EXPECT_EQ(find_executable("", search, "/").error().code, Errc::not_found);
    EXPECT_THAT(find_executable("nothing", search, "/").error().message, HasSubstr("'nothing'"));
}

}  // namespace
}  // namespace commmap
