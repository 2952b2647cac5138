// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/base/own_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace commmap {
namespace {

namespace fs = std::filesystem;

class OwnDirectoryTest : public testing::Test {
protected:
    OwnDirectoryTest() {
        std::string name = (fs::temp_directory_path() / "commmap-own-XXXXXX").string();
        place_ = ::mkdtemp(name.data());
        fs::create_directories(place_ / "own/in it");
        fs::create_directory(place_ / "elsewhere");
    }
    ~OwnDirectoryTest() override { fs::remove_all(place_); }
    [[nodiscard]] Errc error_of(const std::string& name) const {
        const auto opened = OwnDirectory::open(place_ / name);
        return opened ? Errc::internal : opened.error().code;
    }
    fs::path place_;
};

TEST_F(OwnDirectoryTest, StaysTheSameWhateverIsPutInItsPlace) {
    const auto directory = OwnDirectory::open(place_ / "own");
    ASSERT_TRUE(directory) << directory.error().message;
    const auto inner = directory.value().open_in("new", true);
    ASSERT_TRUE(inner) << inner.error().message;

    fs::rename(place_ / "own", place_ / "moved");
    fs::create_directory_symlink(place_ / "elsewhere", place_ / "own");
    std::ofstream(inner.value().path() + "/file") << "text";

    EXPECT_TRUE(fs::exists(place_ / "moved/new/file"));
    EXPECT_TRUE(fs::is_empty(place_ / "elsewhere"));
    EXPECT_EQ(inner.value().name(), (place_ / "own/new").string());
    EXPECT_EQ(inner.value().named({Errc::io, "no '" + inner.value().path() + "/x'"}).message,
              "no '" + (place_ / "own/new").string() + "/x'");
}

TEST_F(OwnDirectoryTest, RefusesWhatIsNotThisUsersAlone) {
    fs::create_directory_symlink(place_ / "own", place_ / "link");
    std::ofstream(place_ / "file") << "text";
    fs::permissions(place_ / "elsewhere", fs::perms::all);

    EXPECT_EQ(error_of("link"), Errc::io);
    EXPECT_EQ(error_of("file"), Errc::io);
    EXPECT_EQ(error_of("elsewhere"), Errc::io);
    EXPECT_EQ(error_of("missing"), Errc::not_found);
    const auto own = OwnDirectory::open(place_ / "own");
    ASSERT_TRUE(own);
    fs::create_directory_symlink(place_ / "elsewhere", place_ / "own/link");
    EXPECT_EQ(own.value().open_in("link", true).error().code, Errc::io);
    EXPECT_EQ(own.value().open_in("none", false).error().code, Errc::not_found);
}

TEST_F(OwnDirectoryTest, RefusesAnotherUsers) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    ASSERT_EQ(::chown((place_ / "own").c_str(), 65534, 65534), 0);

    EXPECT_EQ(error_of("own"), Errc::io);
}

}  // namespace
}  // namespace commmap
