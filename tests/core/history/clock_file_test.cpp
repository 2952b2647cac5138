#include "core/history/clock_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "core/history/inbox.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;

class ClockFile : public ::testing::Test {
protected:
    ClockFile() {
        std::string pattern = fs::temp_directory_path() / "commmap-clock-XXXXXX";
        profiles_ = ::mkdtemp(pattern.data());
        path_ = clock_file_path(profiles_, 12, 3);
        fs::create_directories(fs::path(path_).parent_path());
        for (const char* directory : {"history", "history/new"})
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

TEST_F(ClockFile, WhatNoSrunTookGoesAfterAnHour) {
    const std::string begun = path_ + ".new-77";
    for (const std::string& path : {path_, begun}) std::ofstream(path) << "1\n";
    EXPECT_TRUE(RunInbox(profiles_).take(10).empty());
    EXPECT_TRUE(fs::exists(path_) && fs::exists(begun));  // the run may not have ended

    const utimbuf long_ago{std::time(nullptr) - 4000, std::time(nullptr) - 4000};
    for (const std::string& path : {path_, begun}) ::utime(path.c_str(), &long_ago);
    EXPECT_TRUE(RunInbox(profiles_).take(10).empty());
    EXPECT_FALSE(fs::exists(path_) || fs::exists(begun));
}

}  // namespace
}  // namespace commmap
