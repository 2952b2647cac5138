// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/store/clock_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "core/history/store/inbox.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;

class ClockFile : public ::testing::Test {
protected:
    ClockFile() {
        std::string pattern = fs::temp_directory_path() / "commmap-clock-XXXXXX";
        profiles_ = ::mkdtemp(pattern.data());
        path_ = new_clock_file(profiles_, 12, 3);
        fs::create_directories(fs::path(path_).parent_path());
        for (const std::string& directory : {own_name("history"), own_name("history") + "/new"})
            fs::permissions(fs::path(profiles_) / directory, fs::perms::owner_all);
    }
    ~ClockFile() override { fs::remove_all(profiles_); }

    std::optional<double> take(const std::string& text, double step_s = 10.0) {
        std::ofstream(path_, std::ios::trunc) << text;
        return take_clock_file(path_, step_s);
    }

    std::string profiles_;
    std::string path_;
};

TEST_F(ClockFile, IsTakenOnce) {
    EXPECT_EQ(take("0.750000000\n"), 0.75);
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_EQ(take_clock_file(path_, 10.0), std::nullopt);
}

TEST_F(ClockFile, WhatMakesNoSenseIsNoTimeAndIsRemoved) {
    for (const std::string& text :
         {std::string(), std::string("0.75"), std::string("0.75\n0.75\n"), std::string("-1\n"),
          std::string("0\n"), std::string("nan\n"), std::string("inf\n"), std::string("1e400\n"),
          std::string("10.1\n"), std::string("0.75 s\n"), std::string(100, '1') + '\n',
          std::string("\0\n", 2)}) {
        EXPECT_EQ(take(text), std::nullopt) << text;
        EXPECT_FALSE(fs::exists(path_)) << text;
    }
}

TEST_F(ClockFile, AFifoHoldsNothingUp) {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_EQ(take_clock_file(path_, 10.0), std::nullopt);
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ClockFile, HasANewNameEachTime) {
    EXPECT_NE(new_clock_file(profiles_, 12, 3), path_);
    EXPECT_TRUE(is_clock_file(fs::path(path_).filename().string()));
    EXPECT_FALSE(is_clock_file("12.3-0a1b.run"));
}

TEST_F(ClockFile, ADirectoryThatIsALinkIsLeftAlone) {
    std::ofstream(path_) << "0.75\n";
    const fs::path history = fs::path(profiles_) / own_name("history");
    fs::rename(history, fs::path(profiles_) / "elsewhere");
    fs::create_directory_symlink("elsewhere", history);
    EXPECT_EQ(take_clock_file(path_, 10.0), std::nullopt);
    EXPECT_TRUE(fs::exists(path_));
}

TEST_F(ClockFile, WhatNoSrunTookGoesAfterAWeek) {
    const std::string begun = path_ + ".new-77";
    for (const std::string& path : {path_, begun}) std::ofstream(path) << "1\n";
    EXPECT_TRUE(RunInbox(profiles_).take(10).empty());
    EXPECT_TRUE(fs::exists(path_) && fs::exists(begun));  // the run may not have ended

    const std::time_t week_ago = std::time(nullptr) - 8 * 24 * 3600;
    const utimbuf long_ago{week_ago, week_ago};
    for (const std::string& path : {path_, begun}) ::utime(path.c_str(), &long_ago);
    EXPECT_TRUE(RunInbox(profiles_).take(10).empty());
    EXPECT_FALSE(fs::exists(path_) || fs::exists(begun));
}

}  // namespace
}  // namespace commmap
