// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plan/plan_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/profile/store/store.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;

class PlanCacheTest : public ::testing::Test {
protected:
    PlanCacheTest() {
        std::string pattern = fs::temp_directory_path() / "commmap-cache-XXXXXX";
        directory_ = ::mkdtemp(pattern.data());
        write("profile", "profile");
        write("cluster", "cluster");
        write("node.xml", "xml");
    }
    ~PlanCacheTest() override { fs::remove_all(directory_); }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(file(name), std::ios::trunc) << text;
    }
    [[nodiscard]] std::string file(const std::string& name) const { return directory_ / name; }
    [[nodiscard]] std::string key(const std::vector<std::string>& arguments = {"16"}) const {
        return PlanCache::key({file("profile"), file("cluster")}, arguments).value();
    }

    fs::path directory_;
    std::string plans_ = own_name("plans");
    [[nodiscard]] PlanCache cache() const { return PlanCache(directory_.string()); }
    [[nodiscard]] Errc error_of(const std::string& key) const {
        const auto found = cache().find(key);
        return found ? Errc::internal : found.error().code;
    }
    [[nodiscard]] std::string why_not(const std::string& key) const {
        const auto found = cache().find(key);
        return found ? "" : found.error().message;
    }
};

KeptPlan answer(const std::string& text, std::vector<std::string> files = {}) {
    return {text, std::move(files), 0, 0, ""};
}

TEST_F(PlanCacheTest, GivesBackWhatWasKept) {
    const KeptPlan finished = answer("a plan\n\nend\n", {file("node.xml")});
    const KeptPlan unfinished{"a plan\nend\n", {}, 600, 3, std::string("a\0\nb 7\n", 8)};
    EXPECT_EQ(error_of(key()), Errc::not_found);
    ASSERT_TRUE(cache().keep(key(), finished));
    ASSERT_TRUE(cache().keep(key({"17"}), unfinished));

    EXPECT_EQ(cache().find(key()).value(), finished);
    EXPECT_EQ(cache().find(key({"17"})).value(), unfinished);
    EXPECT_EQ(fs::status(directory_ / plans_).permissions(), fs::perms::owner_all);
}

TEST_F(PlanCacheTest, AnotherQuestionIsAnotherKey) {
    const std::string before = key();
    EXPECT_NE(key({"17"}), before);
    EXPECT_NE(key({"1", "6"}), before);
    write("profile", "profilE");
    EXPECT_NE(key(), before);
    write("profile", "profile");
    EXPECT_EQ(key(), before);
    EXPECT_FALSE(PlanCache::key({file("nothing")}, {}));
}

TEST_F(PlanCacheTest, AChangedFileMakesTheAnswerVoid) {
    ASSERT_TRUE(cache().keep(key(), answer("a plan\nend\n", {file("node.xml")})));
    write("node.xml", "other");
    EXPECT_EQ(why_not(key()), "'" + file("node.xml") + "' has changed");
    fs::remove(file("node.xml"));
    EXPECT_EQ(error_of(key()), Errc::invalid_input);
}

TEST_F(PlanCacheTest, AFileThatNoReaderTakesIsNotHashed) {
    write("huge.yaml", "");
    fs::resize_file(file("huge.yaml"), max_profile_bytes + 1);

    const auto none = PlanCache::key({file("huge.yaml")}, {"question"});

    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::invalid_input);
    EXPECT_FALSE(cache().keep(key(), answer("a plan\nend\n", {file("huge.yaml")})));
}

TEST_F(PlanCacheTest, EveryFlippedByteAndEveryTruncationIsNoAnswer) {
    ASSERT_TRUE(cache().keep(key(), {"a plan\nend\n", {file("node.xml")}, 600, 3, "a search"}));
    const std::string path = (directory_ / plans_ / (key() + ".plan")).string();
    std::ifstream in(path);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    for (std::size_t place = 0; place < whole.size(); ++place) {
        std::string broken = whole;
        broken[place] = static_cast<char>(broken[place] ^ 1);
        std::ofstream(path, std::ios::trunc) << broken;
        EXPECT_EQ(error_of(key()), Errc::invalid_input) << "byte " << place;
        std::ofstream(path, std::ios::trunc) << whole.substr(0, place);
        EXPECT_EQ(error_of(key()), Errc::invalid_input) << "length " << place;
    }
}

TEST_F(PlanCacheTest, TheOldestGo) {
    for (int number = 0; number < 256; ++number)
        ASSERT_TRUE(cache().keep(key({std::to_string(number)}), answer("plan")));
    const fs::path oldest = directory_ / plans_ / (key({"100"}) + ".plan");
    fs::last_write_time(oldest, fs::file_time_type::clock::now() - std::chrono::hours(1));
    ASSERT_TRUE(cache().keep(key({"one more"}), answer("plan")));
    EXPECT_EQ(error_of(key({"100"})), Errc::not_found);
    EXPECT_EQ(cache().find(key({"0"})).value().answer, "plan");
    EXPECT_EQ(cache().find(key({"one more"})).value().answer, "plan");
}

TEST_F(PlanCacheTest, WhatAKilledPlannerLeftGoesLater) {
    ASSERT_TRUE(cache().keep(key(), answer("plan")));
    write(plans_ + "/abc.plan.Xy12Zz", "half");
    write(plans_ + "/def.plan.Xy12Zz", "being written");
    write(plans_ + "/notes.txt", "somebody's");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
    fs::last_write_time(file(plans_ + "/abc.plan.Xy12Zz"), old);
    fs::last_write_time(file(plans_ + "/notes.txt"), old);

    ASSERT_TRUE(cache().keep(key({"17"}), answer("plan")));

    EXPECT_FALSE(fs::exists(file(plans_ + "/abc.plan.Xy12Zz")));
    EXPECT_TRUE(fs::exists(file(plans_ + "/def.plan.Xy12Zz")));
    EXPECT_TRUE(fs::exists(file(plans_ + "/notes.txt")));
}

TEST_F(PlanCacheTest, NoPlaceIsNoCatastrophe) {
    const PlanCache nowhere("/proc/nowhere/plans");
    EXPECT_FALSE(nowhere.keep(key(), answer("plan")));
    EXPECT_EQ(nowhere.find(key()).error().code, Errc::not_found);
}

TEST_F(PlanCacheTest, TellsWhyAPlanIsOfNoUse) {
    ASSERT_TRUE(cache().keep(key(), answer("plan")));
    write(plans_ + "/" + key() + ".plan", "commmap-kept-plan 1 sha256:0\n\nplan");
    EXPECT_EQ(why_not(key()), "it is of another version");
    write(plans_ + "/" + key() + ".plan", "commmap-kept-plan 2 sha256:0\n\n0 0\nplan");
    EXPECT_EQ(why_not(key()), "it is damaged or half written");
    fs::remove(file(plans_ + "/" + key() + ".plan"));
    EXPECT_EQ(error_of(key()), Errc::not_found);
    EXPECT_FALSE(cache().is_begun(key()));
    write(plans_ + "/" + key() + ".plan.new-Xy12Zz", "commmap-kept-plan 2");
    EXPECT_TRUE(cache().is_begun(key()));
    fs::create_directory(file(plans_ + "/" + key() + ".plan"));
    EXPECT_EQ(error_of(key()), Errc::invalid_input);
}

TEST_F(PlanCacheTest, MoreLaunchesThanThereAreIsDamage) {
    ASSERT_TRUE(cache().keep(key(), {"a plan\nend\n", {}, 600, 4, "a search"}));
    EXPECT_EQ(why_not(key()), "it is damaged");
}

/// Other users of a directory of profiles could have laid it there.
TEST_F(PlanCacheTest, APlanOfADirectoryThatOthersCanWriteIsNoAnswer) {
    ASSERT_TRUE(cache().keep(key(), answer("a plan\n")));
    const fs::path plans = directory_ / plans_;

    fs::permissions(plans, fs::perms::others_write, fs::perm_options::add);
    EXPECT_NE(why_not(key()).find("others can write"), std::string::npos) << why_not(key());
    EXPECT_EQ(error_of(key()), Errc::invalid_input);
    EXPECT_FALSE(cache().keep(key({"17"}), answer("a plan\n")));

    fs::permissions(plans, fs::perms::others_write, fs::perm_options::remove);
    EXPECT_TRUE(cache().find(key()));
    fs::rename(plans, directory_ / "moved");
    fs::create_directory_symlink("moved", plans);
    EXPECT_NE(why_not(key()).find("is a link"), std::string::npos) << why_not(key());
}

TEST_F(PlanCacheTest, OneAtATimeHasTheLock) {
    EXPECT_FALSE(cache().lock()) << "there is no directory";
    ASSERT_TRUE(cache().keep(key(), answer("plan")));
    FileDescriptor lock = cache().lock();
    ASSERT_TRUE(lock);
    EXPECT_FALSE(cache().lock());
    lock.reset();
    EXPECT_TRUE(cache().lock());
}

}  // namespace
}  // namespace commmap
