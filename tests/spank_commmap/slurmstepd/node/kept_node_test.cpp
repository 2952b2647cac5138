// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/node/kept_node.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace commmap::spank {
namespace {

namespace fs = std::filesystem;

std::string first_line_of(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

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
        const Status kept = node().keep(node().key().value(), answer);
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
    keep("");
    EXPECT_EQ(node().load().value(), "");
}

TEST_F(KeptNodeTest, EveryUserMayReadItWhateverTheUmask) {
    const mode_t before = ::umask(077);
    keep("x");
    ::umask(before);
    EXPECT_EQ(fs::status(directory()).permissions(), fs::perms(0755));
    EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0644));
    fs::permissions(directory(), fs::perms(0700));
    keep("y");
    EXPECT_EQ(fs::status(directory()).permissions(), fs::perms(0755));
}

TEST_F(KeptNodeTest, AnotherProgramAsksAgain) {
    keep("x");
    change_program("#!/bin/sh\n# newer\n");
    EXPECT_FALSE(node().load());
    keep("y");
    fs::copy_file(program(), program() + "2");
    EXPECT_FALSE(KeptNode(directory(), program() + "2").load());
    EXPECT_FALSE(KeptNode(directory(), program() + "3").load());

    // the same size: installed anew within the clock's resolution, or with its old time
    fs::rename(program() + "2", program());
    EXPECT_FALSE(node().load());
    keep("z");
    fs::last_write_time(program(), fs::last_write_time(program()) - std::chrono::hours(1));
    EXPECT_FALSE(node().load());
}

TEST_F(KeptNodeTest, WhatWasAskedOfAnotherProgramIsNotKept) {
    const std::string before = node().key().value();
    change_program("#!/bin/sh\n# newer\n");
    const Status kept = node().keep(before, "x");
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().code, Errc::not_found);
    EXPECT_FALSE(fs::exists(file()));
}

// the same file after a reboot, or with another CPU online: its second line is another
TEST_F(KeptNodeTest, AnotherTimeAsksAgain) {
    keep("x");
    std::ifstream in(file());
    std::string first;
    std::string second;
    std::getline(in, first);
    std::getline(in, second);
    EXPECT_EQ(second, first_line_of("/proc/sys/kernel/random/boot_id") + " " +
                          first_line_of("/sys/devices/system/cpu/online"));
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
    EXPECT_FALSE(node().keep(node().key().value(), "y"));
    fs::permissions(directory(), fs::perms(0757));
    EXPECT_FALSE(node().load());
    fs::permissions(directory(), fs::perms(0755));
    EXPECT_TRUE(node().load());
    ASSERT_EQ(::chown(directory().c_str(), 1, 1), 0);
    EXPECT_FALSE(node().load());
    EXPECT_FALSE(node().keep(node().key().value(), "y"));
    fs::rename(directory(), place_ + "/elsewhere");
    ASSERT_EQ(::chown((place_ + "/elsewhere").c_str(), 0, 0), 0);
    fs::create_directory_symlink(place_ + "/elsewhere", directory());
    EXPECT_FALSE(node().load());
    EXPECT_FALSE(node().keep(node().key().value(), "y"));
}

TEST_F(KeptNodeTest, AHugeFileIsNotRead) {
    keep(std::string(std::size_t{1} << 20, 'x'));
    EXPECT_FALSE(node().load());
}

}  // namespace
}  // namespace commmap::spank
