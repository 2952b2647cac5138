#include "core/plan/plan_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/profile/store.hpp"

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
    [[nodiscard]] PlanCache cache() const { return PlanCache(directory_.string()); }
};

TEST_F(PlanCacheTest, GivesBackWhatWasKept) {
    EXPECT_EQ(cache().find(key()), std::nullopt);
    ASSERT_TRUE(cache().keep(key(), {file("node.xml")}, "a plan\n\nend\n"));
    EXPECT_EQ(cache().find(key()), "a plan\n\nend\n");
    EXPECT_EQ(fs::status(directory_ / "plans").permissions(), fs::perms::owner_all);
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
    ASSERT_TRUE(cache().keep(key(), {file("node.xml")}, "a plan\nend\n"));
    write("node.xml", "other");
    EXPECT_EQ(cache().find(key()), std::nullopt);
    fs::remove(file("node.xml"));
    EXPECT_EQ(cache().find(key()), std::nullopt);
}

TEST_F(PlanCacheTest, AFileThatNoReaderTakesIsNotHashed) {
    write("huge.yaml", "");
    fs::resize_file(file("huge.yaml"), max_profile_bytes + 1);

    const auto none = PlanCache::key({file("huge.yaml")}, {"question"});

    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, Errc::invalid_input);
    EXPECT_FALSE(cache().keep(key(), {file("huge.yaml")}, "a plan\nend\n"));
}

TEST_F(PlanCacheTest, EveryFlippedByteAndEveryTruncationIsNoAnswer) {
    ASSERT_TRUE(cache().keep(key(), {file("node.xml")}, "a plan\nend\n"));
    const std::string path = (directory_ / "plans" / (key() + ".plan")).string();
    std::ifstream in(path);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    for (std::size_t place = 0; place < whole.size(); ++place) {
        std::string broken = whole;
        broken[place] = static_cast<char>(broken[place] ^ 1);
        std::ofstream(path, std::ios::trunc) << broken;
        EXPECT_EQ(cache().find(key()), std::nullopt) << "byte " << place;
        std::ofstream(path, std::ios::trunc) << whole.substr(0, place);
        EXPECT_EQ(cache().find(key()), std::nullopt) << "length " << place;
    }
}

TEST_F(PlanCacheTest, TheOldestGo) {
    for (int number = 0; number < 256; ++number)
        ASSERT_TRUE(cache().keep(key({std::to_string(number)}), {}, "plan"));
    const fs::path oldest = directory_ / "plans" / (key({"100"}) + ".plan");
    fs::last_write_time(oldest, fs::file_time_type::clock::now() - std::chrono::hours(1));
    ASSERT_TRUE(cache().keep(key({"one more"}), {}, "plan"));
    EXPECT_EQ(cache().find(key({"100"})), std::nullopt);
    EXPECT_EQ(cache().find(key({"0"})), "plan");
    EXPECT_EQ(cache().find(key({"one more"})), "plan");
}

TEST_F(PlanCacheTest, WhatAKilledPlannerLeftGoesLater) {
    ASSERT_TRUE(cache().keep(key(), {}, "plan"));
    write("plans/abc.plan.Xy12Zz", "half");
    write("plans/def.plan.Xy12Zz", "being written");
    write("plans/notes.txt", "somebody's");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
    fs::last_write_time(file("plans/abc.plan.Xy12Zz"), old);
    fs::last_write_time(file("plans/notes.txt"), old);

    ASSERT_TRUE(cache().keep(key({"17"}), {}, "plan"));

    EXPECT_FALSE(fs::exists(file("plans/abc.plan.Xy12Zz")));
    EXPECT_TRUE(fs::exists(file("plans/def.plan.Xy12Zz")));
    EXPECT_TRUE(fs::exists(file("plans/notes.txt")));
}

TEST_F(PlanCacheTest, NoPlaceIsNoCatastrophe) {
    const PlanCache nowhere("/proc/nowhere/plans");
    EXPECT_FALSE(nowhere.keep(key(), {}, "plan"));
    EXPECT_EQ(nowhere.find(key()), std::nullopt);
}

}  // namespace
}  // namespace commmap
