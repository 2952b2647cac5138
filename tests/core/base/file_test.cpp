#include "core/base/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

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
    EXPECT_EQ(status.error().code, Errc::io);
    EXPECT_EQ(files(), 1U);
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

}  // namespace
}  // namespace commmap
