#include "spank_commmap/kept_node.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;

class KeptNodeTest : public testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root keeps answers";
        std::string name = testing::TempDir() + "commmap-kept-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        place_ = name;
        change_program("#!/bin/sh\n");
    }
    void TearDown() override {
        if (!place_.empty()) fs::remove_all(place_);
    }

    [[nodiscard]] std::string directory() const { return place_ + "/run"; }
    [[nodiscard]] std::string program() const { return place_ + "/program"; }
    [[nodiscard]] std::string file() const { return directory() + "/node"; }
    [[nodiscard]] KeptNode node() const { return {directory(), program()}; }
    void change_program(const std::string& content) const { std::ofstream(program()) << content; }
    void keep(const std::string& answer) const {
        const Status kept = node().keep(answer);
        ASSERT_TRUE(kept) << kept.error().message;
    }

    std::string place_;
};

TEST_F(KeptNodeTest, GivesBackWhatWasKept) {
    EXPECT_FALSE(node().load());
    const std::string answer("12\0\n\n34", 7);
    keep("another");
    keep(answer);
    const auto loaded = node().load();
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded.value(), answer);
}

TEST_F(KeptNodeTest, EveryUserMayReadItWhateverTheUmask) {
    const mode_t before = ::umask(077);
    const Status kept = node().keep("x");
    ::umask(before);
    ASSERT_TRUE(kept);
    EXPECT_EQ(fs::status(directory()).permissions(), fs::perms(0755));
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0644));
}

TEST_F(KeptNodeTest, AnotherProgramAsksAgain) {
    keep("x");
    change_program("#!/bin/sh\n# newer\n");
    EXPECT_FALSE(node().load());
    keep("y");
    fs::copy_file(program(), program() + "2");
    EXPECT_FALSE(KeptNode(directory(), program() + "2").load());
    EXPECT_FALSE(KeptNode(directory(), program() + "3").load());
}

// the same file after a reboot, or with another CPU online: its second line is another
TEST_F(KeptNodeTest, AnotherTimeAsksAgain) {
    keep("x");
    std::ifstream in(file());
    std::string first;
    std::string second;
    std::getline(in, first);
    std::getline(in, second);
    for (const std::string& other : {"0" + second, second + ",4096", std::string()}) {
        std::ofstream(file()) << first << '\n' << other << "\nx";
        EXPECT_FALSE(node().load()) << other;
    }
    std::ofstream(file()) << first << '\n' << second << "\nx";
    EXPECT_TRUE(node().load());
}

TEST_F(KeptNodeTest, APlaceThatOthersCanWriteToIsNotBelieved) {
    keep("x");
    fs::permissions(directory(), fs::perms(0775));
    EXPECT_FALSE(node().load());
    EXPECT_FALSE(node().keep("y"));
    fs::permissions(directory(), fs::perms(0757));
    EXPECT_FALSE(node().load());
    fs::permissions(directory(), fs::perms(0755));
    EXPECT_TRUE(node().load());
    ASSERT_EQ(::chown(directory().c_str(), 1, 1), 0);
    EXPECT_FALSE(node().load());
    EXPECT_FALSE(node().keep("y"));
    fs::rename(directory(), place_ + "/elsewhere");
    ASSERT_EQ(::chown((place_ + "/elsewhere").c_str(), 0, 0), 0);
    fs::create_directory_symlink(place_ + "/elsewhere", directory());
    EXPECT_FALSE(node().load());
    EXPECT_FALSE(node().keep("y"));
}

TEST_F(KeptNodeTest, AHugeFileIsNotRead) {
    keep(std::string(std::size_t{1} << 20, 'x'));
    EXPECT_FALSE(node().load());
}

}  // namespace
}  // namespace commmap::spank
