// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/process/trusted_program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/handle.hpp"

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;

constexpr unsigned nobody = 65534;

/// A tree of root's: folder/program, and links beside it.
class TrustedProgram : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root";
        std::string place = "/var/tmp/commmap-trusted-XXXXXX";
        ASSERT_NE(::mkdtemp(place.data()), nullptr);
        top_ = place;
        allow(top_, 0755);
        fs::create_directories(top_ / "folder");
        allow(top_ / "folder", 0755);
        program_ = top_ / "folder" / "program";
        std::ofstream(program_) << "#!/bin/sh\n";
        allow(program_, 0755);
    }
    void TearDown() override {
        if (!top_.empty()) fs::remove_all(top_);
    }

    static void allow(const fs::path& path, unsigned mode) {
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    }
    static void give_away(const fs::path& path) {
        ASSERT_EQ(::lchown(path.c_str(), nobody, nobody), 0);
    }
    /// What others can change, or an error; empty: it is opened.
    static std::string refusal(const fs::path& path) {
        Untrusted why;
        const FileDescriptor opened = open_trusted_program(path.c_str(), why);
        if (opened) return "";
        return why.error == EPERM ? why.place : std::strerror(why.error);
    }

    fs::path top_;
    fs::path program_;
};

TEST_F(TrustedProgram, OpensWhatIsRootsAlone) {
    Untrusted why;
    const FileDescriptor opened = open_trusted_program(program_.c_str(), why);

    ASSERT_TRUE(opened) << std::strerror(why.error);
    struct stat there {};
    struct stat wanted {};
    ASSERT_EQ(::fstat(opened.get(), &there), 0);
    ASSERT_EQ(::stat(program_.c_str(), &wanted), 0);
    EXPECT_EQ(there.st_ino, wanted.st_ino);
    EXPECT_EQ(refusal("/bin/sh"), "");  // by links of the system's
}

TEST_F(TrustedProgram, RefusesAFileThatOthersCanChange) {
    for (const unsigned mode : {0775U, 0757U}) {
        allow(program_, mode);
        EXPECT_EQ(refusal(program_), program_.string());
    }
    allow(program_, 0755);
    give_away(program_);
    EXPECT_EQ(refusal(program_), program_.string());
}

TEST_F(TrustedProgram, RefusesAFolderInWhichOthersCanPutAnotherFile) {
    for (const unsigned mode : {0775U, 0757U}) {
        allow(top_, mode);
        EXPECT_EQ(refusal(program_), top_.string());
    }
    allow(top_, 01777);
    EXPECT_EQ(refusal(program_), "");  // what is root's there is not theirs to replace
    allow(top_, 0755);
    give_away(top_ / "folder");
    EXPECT_EQ(refusal(program_), top_.string() + "/folder");
}

TEST_F(TrustedProgram, FollowsLinksOfRootsOnly) {
    fs::create_symlink("folder/../folder/program", top_ / "relative");
    fs::create_symlink(top_ / "folder", top_ / "absolute");
    fs::create_symlink("loop", top_ / "loop");
    fs::create_symlink(program_, top_ / "theirs");
    give_away(top_ / "theirs");

    EXPECT_EQ(refusal(top_ / "relative"), "");
    EXPECT_EQ(refusal(top_ / "absolute" / "program"), "");
    EXPECT_EQ(refusal(top_ / "loop"), "Too many levels of symbolic links");
    EXPECT_EQ(refusal(top_ / "theirs"), top_.string() + "/theirs");
}

/// Who can change the plugin decides already about what root runs.
TEST_F(TrustedProgram, OpensWhatThePluginsOwnerOwns) {
    for (const fs::path& path : {top_, top_ / "folder", program_}) give_away(path);
    EXPECT_EQ(refusal(program_), top_.string());

    trust_owner_of_plugin(nobody);

    EXPECT_EQ(refusal(program_), "");
    allow(program_, 0775);
    EXPECT_EQ(refusal(program_), program_.string());
    trust_owner_of_plugin(0);
}

TEST_F(TrustedProgram, PathsAndLinksThatAreTooLongAreErrors) {
    EXPECT_EQ(refusal("/" + std::string(300, 'x')), "File name too long");
    EXPECT_EQ(refusal(std::string(9000, '/') + "bin/sh"), "File name too long");
    std::string deep = top_;
    for (int i = 0; i < 2000; ++i) deep += "/.";
    EXPECT_EQ(refusal(deep + "/folder/program"), "");
}

TEST_F(TrustedProgram, SaysWhatIsThereInItsPlace) {
    EXPECT_EQ(refusal(top_ / "folder" / "missing"), "No such file or directory");
    EXPECT_EQ(refusal(program_ / "below"), "Not a directory");
    EXPECT_EQ(refusal(top_ / "folder"), "Permission denied");
}

}  // namespace
}  // namespace commmap::spank
