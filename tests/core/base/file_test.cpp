// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace commmap {
namespace {

class FileTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "commmap-file-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }
    [[nodiscard]] std::string path(const std::string& name) const {
        return directory_ + "/" + name;
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(directory_), {}));
    }
    std::string directory_;
};

/// ulimit -f: by itself the signal ends the process.
TEST_F(FileTest, AFileLongerThanAllowedIsAnErrorAndNoSignal) {
    struct rlimit before {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small { 100, before.rlim_max };
    ASSERT_TRUE(write_file_atomically(path("a"), "one"));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);

    const Status written = write_file_atomically(path("a"), std::string(1000, 'x'));

    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::io);
    EXPECT_EQ(files(), 1U);
    EXPECT_EQ(read_file(path("a"), 100).value(), "one");  // nor half of the new one in its place
    sigset_t signals;
    ASSERT_EQ(::sigpending(&signals), 0);
    EXPECT_EQ(::sigismember(&signals, SIGXFSZ), 0);
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, nullptr, &signals), 0);
    EXPECT_EQ(::sigismember(&signals, SIGXFSZ), 0);
}

TEST_F(FileTest, WritesAndReadsBack) {
    ASSERT_TRUE(write_file_atomically(path("a"), "one"));
    ASSERT_TRUE(write_file_atomically(path("a"), "two", 0644));

    EXPECT_EQ(read_file(path("a"), 100).value(), "two");
    EXPECT_EQ(files(), 1U) << "a temporary file stayed behind";
    EXPECT_EQ(std::filesystem::status(path("a")).permissions(),
              static_cast<std::filesystem::perms>(0644));
}

TEST_F(FileTest, LeavesNothingBehindWhenTheTargetCannotBeReplaced) {
    ASSERT_EQ(::mkdir(path("d").c_str(), 0700), 0);

    const Status status = write_file_atomically(path("d"), "text");

    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Errc::invalid_input);
    EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, ReplacesNothingButFiles) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    ASSERT_TRUE(write_file_atomically(path("a"), "one"));
    ASSERT_EQ(::symlink("a", path("link").c_str()), 0);
    for (const char* name : {"fifo", "link"}) {
        EXPECT_EQ(write_file_atomically(path(name), "text").error().code, Errc::invalid_input);
        EXPECT_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path(name))));
    }
}

TEST_F(FileTest, WritesToADeviceAndThroughALink) {
    // a name of our own for the device: were it replaced, the machine would be without /dev/null
    ASSERT_EQ(::symlink("/dev/null", path("null").c_str()), 0);
    EXPECT_TRUE(write_to(path("null"), "text"));
    EXPECT_TRUE(std::filesystem::is_character_file(path("null")));

    ASSERT_TRUE(write_file_atomically(path("a"), "one"));
    ASSERT_EQ(::symlink("a", path("link").c_str()), 0);
    EXPECT_TRUE(write_to(path("link"), "two"));
    EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
    EXPECT_EQ(read_file(path("a"), 100).value(), "two");

    ASSERT_EQ(::symlink("new", path("dangling").c_str()), 0);
    EXPECT_TRUE(write_to(path("dangling"), "three"));
    EXPECT_EQ(read_file(path("new"), 100).value(), "three");

    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    EXPECT_FALSE(write_to(path("fifo"), "nobody reads"));
    const int reader = ::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_TRUE(write_to(path("fifo"), "four"));
    char got[8] = {};
    EXPECT_EQ(::read(reader, got, sizeof got), 4);
    ::close(reader);
    EXPECT_FALSE(write_to(directory_, "text"));
}

TEST_F(FileTest, ANewFileHasWhatTheUmaskLeavesAndAnOldOneItsOwnMode) {
    const mode_t before = ::umask(027);
    EXPECT_TRUE(write_to(path("new"), "text"));
    ::umask(before);
    ASSERT_TRUE(write_file_atomically(path("old"), "one", 0604));
    EXPECT_TRUE(write_to(path("old"), "two"));

    const auto mode = [&](const char* name) {
        return static_cast<unsigned>(std::filesystem::status(path(name)).permissions());
    };
    EXPECT_EQ(mode("new"), 0640U);
    EXPECT_EQ(mode("old"), 0604U);
}

TEST_F(FileTest, RefusesWhatIsNotARegularFileWithoutBlocking) {
    ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);

    EXPECT_EQ(read_file(path("fifo"), 10).error().code, Errc::invalid_input);
    EXPECT_EQ(read_file(directory_, 10).error().code, Errc::invalid_input);
    EXPECT_EQ(read_file("/dev/zero", 10).error().code, Errc::invalid_input);
    EXPECT_EQ(read_file(path("absent"), 10).error().code, Errc::not_found);
}

TEST_F(FileTest, RefusesALargerFileThanAskedFor) {
    ASSERT_TRUE(write_file_atomically(path("a"), "12345"));

    EXPECT_FALSE(read_file(path("a"), 4));
    EXPECT_TRUE(read_file(path("a"), 5));
}

TEST_F(FileTest, MakesDirectoriesOnceOrTwice) {
    EXPECT_TRUE(make_directories(path("x/y/z")));
    EXPECT_TRUE(make_directories(path("x/y/z")));
    ASSERT_TRUE(write_file_atomically(path("file"), ""));
    EXPECT_FALSE(make_directories(path("file/y")));
}

TEST_F(FileTest, AFileIsReplacedWithItsOwnerAndMode) {
    ASSERT_TRUE(write_file_atomically(path("a"), "one", 0604));
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(path("a").c_str(), 12, 34), 0);
    }

    const Status replaced = replace_file(path("a"), "one", "two");

    ASSERT_TRUE(replaced) << replaced.error().message;
    EXPECT_EQ(read_file(path("a"), 100).value(), "two");
    struct stat status {};
    ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0604U);
    if (::geteuid() == 0) {
        EXPECT_TRUE(status.st_uid == 12 && status.st_gid == 34);
    }
    EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, AFileThatWasChangedMeanwhileIsNotReplaced) {
    for (const char* const now : {"", "on", "one more", "two"}) {
        ASSERT_TRUE(write_file_atomically(path("a"), now));
        EXPECT_EQ(replace_file(path("a"), "one", "new").error().message,
                  "'" + path("a") + "' was changed meanwhile, and is not written");
        EXPECT_EQ(read_file(path("a"), 100).value(), now);
    }
    EXPECT_EQ(files(), 1U);
}

TEST_F(FileTest, WhatIsNotReplacedSaysWhy) {
    EXPECT_EQ(is_replaceable(path("none")).error().code, Errc::not_found);
    EXPECT_EQ(is_replaceable(directory_).error().message,
              "cannot write '" + directory_ + "': it is no regular file");
    ASSERT_TRUE(write_file_atomically(path("a"), "one"));
    EXPECT_TRUE(is_replaceable(path("a")));
    std::filesystem::create_symlink("a", path("link"));
    EXPECT_EQ(is_replaceable(path("link")).error().message,
              "cannot write '" + path("link") + "': it is a symbolic link: name the file '" +
                  std::filesystem::canonical(path("a")).string() + "' instead");
    std::filesystem::create_hard_link(path("a"), path("b"));
    EXPECT_EQ(
        replace_file(path("b"), "one", "two").error().message,
        "cannot write '" + path("b") +
            "': it has 2 names (hard links), of which one would get the new text: copy it first");
    std::filesystem::remove(path("b"));
    ASSERT_EQ(::chmod(path("a").c_str(), 0444), 0);
    EXPECT_EQ(replace_file(path("a"), "one", "two").error().message,
              "cannot write '" + path("a") + "': Permission denied");
    EXPECT_EQ(read_file(path("a"), 100).value(), "one");
}

}  // namespace
}  // namespace commmap
