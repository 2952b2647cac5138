// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/profile/sample_profile.hpp"

namespace commmap {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ProfileStoreTest : public testing::Test {
protected:
    ProfileStoreTest() {
        std::string name = (fs::temp_directory_path() / "commmap-store-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    ~ProfileStoreTest() override { fs::remove_all(directory_); }

    [[nodiscard]] ProfileStore store() const { return ProfileStore(directory_ + "/profiles"); }
    /// As the planner reads it.
    [[nodiscard]] Result<LoadedProfile> load(const std::string& id, std::size_t num_ranks) const {
        const std::vector<ProfileStore> stores = {store()};
        const auto paths = find_runs(stores, id, num_ranks);
        if (!paths) return paths.error();
        return read_runs(paths.value().paths, id, num_ranks);
    }
    static mode_t mode_of(const std::string& path) {
        struct stat status {};
        EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
        return status.st_mode & 0777;
    }
    std::string write(const std::string& name, const std::string& content) {
        std::ofstream(directory_ + "/" + name) << content;
        return directory_ + "/" + name;
    }
    /// One clear line: which file, and the way out.
    static void expect_refused(const std::string& path, Errc code, const std::string& why) {
        const Result<Profile> read = read_profile_file(path);
        ASSERT_FALSE(read) << path;
        EXPECT_EQ(read.error().code, code) << read.error().message;
        EXPECT_THAT(read.error().message,
                    AllOf(HasSubstr(path), HasSubstr(why), HasSubstr("srun --commmap=profile"),
                          Not(HasSubstr("\n"))));
    }

    std::string directory_;
};

TEST_F(ProfileStoreTest, LoadsWhatItSaved) {
    const auto saved = store().save(sample_profile());

    ASSERT_TRUE(saved) << saved.error().message;
    const auto loaded = load("build-id:00ff", 3);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded.value().profile == sample_profile());
    EXPECT_EQ(mode_of(saved.value()), 0600u);
    EXPECT_EQ(mode_of(store().directory()), 0700u);
}

TEST_F(ProfileStoreTest, IsReadableForTheGroupOnRequest) {
    const ProfileStore for_group(directory_ + "/group", nullptr, FileVisibility::group);
    const auto saved = for_group.save(sample_profile());
    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_EQ(mode_of(saved.value()), 0640u);
    EXPECT_EQ(mode_of(for_group.directory()), 0750u);
}

TEST_F(ProfileStoreTest, KeepsTheLastRunsApart) {
    Profile profile = sample_profile();
    profile.runs = 1;
    std::vector<std::string> paths;
    for (std::size_t run = 0; run < ProfileStore::most_runs + 2; ++run) {
        ++profile.job_id;
        profile.recorded_unix_s += 1000;
        profile.ranks[0].wall_s = static_cast<double>(run);
        paths.push_back(store().save(profile).value());
    }

    const auto runs = store().runs_of("build-id:00ff", 3);
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs.value().size(), ProfileStore::most_runs);
    EXPECT_EQ(runs.value().front().path, paths.back());
    EXPECT_FALSE(fs::exists(paths[0]));
    EXPECT_FALSE(fs::exists(paths[1]));
    EXPECT_TRUE(is_run_of(runs.value().front().name.run, profile.job_id, profile.step_id));
    const auto loaded = load("build-id:00ff", 3);
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded.value().profile.runs, ProfileStore::most_runs);
    EXPECT_EQ(loaded.value().profile.job_id, profile.job_id);
    EXPECT_DOUBLE_EQ(loaded.value().profile.ranks[0].wall_s, 5.5);  // mean of 2 to 9

    profile.recorded_unix_s -= 1000000;  // on a machine whose clock is behind
    EXPECT_TRUE(fs::exists(store().save(profile).value()));
}

TEST_F(ProfileStoreTest, OneDamagedRunIsLeftOut) {
    Profile profile = sample_profile();
    ASSERT_TRUE(store().save(profile));
    profile.recorded_unix_s += 1;
    const std::string second = store().save(profile).value();
    fs::resize_file(second, fs::file_size(second) - 1);

    const std::vector<ProfileStore> stores = {store()};
    const auto found = find_runs(stores, "build-id:00ff", 3);

    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found.value().notes.size(), 1u);
    EXPECT_THAT(found.value().notes[0], AllOf(HasSubstr(second), HasSubstr("without it")));
    const auto loaded = read_runs({second, found.value().paths[0]});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded.value().profile == sample_profile());
    ASSERT_EQ(loaded.value().notes.size(), 1u);
    EXPECT_THAT(loaded.value().notes[0], AllOf(HasSubstr(second), HasSubstr("without it")));
}

TEST_F(ProfileStoreTest, ARunThatSentNothingIsLeftOut) {
    Profile profile = sample_profile();
    const std::string good = store().save(profile).value();
    profile.recorded_unix_s += 1;
    profile.phases.resize(1);
    profile.phases[0].sent = TrafficMatrix({{}, {}, {}});
    profile.phases[0].collectives.clear();
    const std::string empty = store().save(profile).value();

    const auto loaded = read_runs({empty, good});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded.value().profile == sample_profile());
    ASSERT_EQ(loaded.value().notes.size(), 1u);
    EXPECT_THAT(loaded.value().notes[0], HasSubstr("1 of 2 runs sent nothing"));
    EXPECT_TRUE(read_runs({empty}).value().notes.empty());  // where all do, it is so
}

TEST_F(ProfileStoreTest, TheSiteIsAskedWhereTheUserHasNone) {
    const ProfileStore site(directory_ + "/site", nullptr, FileVisibility::everybody);
    const auto published = site.publish(sample_profile());
    ASSERT_TRUE(published) << published.error().message;
    EXPECT_EQ(published.value(), directory_ + "/site/build-id-00ff-np3.commmap");
    EXPECT_EQ(mode_of(published.value()), 0644u);
    EXPECT_EQ(mode_of(site.directory()), 0755u);
    const std::vector<ProfileStore> stores = {store(), site};

    EXPECT_EQ(find_runs(stores, "build-id:00ff", 3).value().paths, std::vector{published.value()});
    const std::string own = store().save(sample_profile()).value();
    EXPECT_EQ(find_runs(stores, "build-id:00ff", 3).value().paths, std::vector{own});
    fs::rename(own, store().path_of({"build-id:aaaa", 3, "", false}));
    EXPECT_EQ(find_runs(stores, "build-id:aaaa", 3).error().code, Errc::corrupt);
    fs::copy_file(published.value(), site.path_of({"build-id:aaaa", 3, "", false}));
    Profile other = sample_profile();
    other.application_id = "build-id:aaaa";
    const std::string right = site.publish(other).value();  // what is another's does not hide it
    EXPECT_EQ(find_runs(stores, "build-id:aaaa", 3).value().paths, std::vector{right});
    fs::remove(right);
    fs::rename(store().path_of({"build-id:aaaa", 3, "", false}), own);
    fs::resize_file(own, 10);  // nor what is damaged
    EXPECT_EQ(find_runs(stores, "build-id:00ff", 3).value().paths, std::vector{published.value()});
    ASSERT_TRUE(site.publish(sample_profile()));  // in its place
    EXPECT_EQ(site.list().value().size(), 1u);
}

TEST_F(ProfileStoreTest, APartialOneServesWhenAllRanksAreThere) {
    Profile profile = sample_profile();
    profile.complete = false;
    const std::string path = store().save(profile).value();
    EXPECT_EQ(path, store().partial_path_of("build-id:00ff", 3));
    EXPECT_TRUE(load("build-id:00ff", 3));

    profile.missing = {1};
    ASSERT_TRUE(store().save(profile));
    const auto loaded = load("build-id:00ff", 3);
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, AllOf(HasSubstr(path), HasSubstr("1 ranks are missing")));

    ASSERT_TRUE(store().save(sample_profile()));
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(ProfileStoreTest, NotFoundListsTheOtherRankCountsAndTags) {
    Profile profile = sample_profile();
    ASSERT_TRUE(store().save(profile));
    profile.ranks.resize(10);
    profile.rounds = {};
    profile.phases[0].rank_times.clear();
    ASSERT_TRUE(store().save(profile));

    const auto found = load("build-id:00ff", 4);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Errc::not_found);
    EXPECT_THAT(found.error().message, AllOf(HasSubstr("4 ranks"), HasSubstr("3, 10 ranks"),
                                             HasSubstr("--commmap=profile")));
    EXPECT_THAT(load("build-id:11", 4).error().message, Not(HasSubstr("there is one")));
    EXPECT_THAT(load("build-id:00ff+large", 3).error().message,
                AllOf(HasSubstr("there is one without a tag"), Not(HasSubstr("10"))));
    profile.application_id = "build-id:00ff+large";
    ASSERT_TRUE(store().save(profile));
    EXPECT_TRUE(load("build-id:00ff+large", 10));
    EXPECT_THAT(load("build-id:00ff+small", 10).error().message, HasSubstr("the tag 'large'"));
}

TEST_F(ProfileStoreTest, ListsItsFilesAlone) {
    EXPECT_TRUE(store().list().value().empty());
    ASSERT_TRUE(store().save(sample_profile()));
    for (const char* name : {"profiles/other", "profiles/x-npz.commmap", "profiles/x-np.commmap",
                             "profiles/-np1.commmap"})
        write(name, "x");

    const auto entries = store().list();

    ASSERT_TRUE(entries) << entries.error().message;
    ASSERT_EQ(entries.value().size(), 1u);
    EXPECT_EQ(entries.value()[0].name.application_id, "build-id:00ff");
    EXPECT_EQ(entries.value()[0].name.num_ranks, 3u);
    EXPECT_EQ(entries.value()[0].size_bytes, fs::file_size(entries.value()[0].path));
}

TEST_F(ProfileStoreTest, RefusesAFileThatIsNotWhatItsNameSays) {
    const std::string saved = store().save(sample_profile()).value();
    fs::copy_file(saved, store().path_of({"build-id:00ff", 4, "", false}));

    const auto loaded = load("build-id:00ff", 4);

    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, Errc::corrupt);
    EXPECT_THAT(loaded.error().message, HasSubstr("on 3 ranks, which is not what its name says"));
}

TEST_F(ProfileStoreTest, RefusesWhatIsNoProfile) {
    const std::string content = encode_profile(sample_profile());
    expect_refused(write("empty", ""), Errc::corrupt, "empty");
    expect_refused(write("text", "hello, this is not a profile at all, really"), Errc::corrupt,
                   "does not begin");
    expect_refused(write("header", content.substr(0, 20)), Errc::corrupt, "header");
    expect_refused(write("truncated", content.substr(0, content.size() - 1)), Errc::corrupt,
                   "a section behind them");
    std::string newer = content;
    newer[8] = 9;
    expect_refused(write("newer", newer), Errc::not_supported, "version 9");
    std::string flipped = content;
    flipped[100] = static_cast<char>(flipped[100] ^ 1);
    expect_refused(write("flipped", flipped), Errc::corrupt, "checksum");
    expect_refused(directory_, Errc::invalid_input, "directory");
    ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
    expect_refused(directory_ + "/fifo", Errc::invalid_input, "FIFO");
    expect_refused(directory_ + "/absent", Errc::not_found, "No such file");
    const std::string unreadable = write("unreadable", content);
    ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
    ASSERT_EQ(::chmod(unreadable.c_str(), 0), 0);
    const uid_t user = ::geteuid();
    const uid_t nobody = 65534;
    // root reads everything
    if (user == 0) {
        ASSERT_EQ(::seteuid(nobody), 0);
    }
    expect_refused(unreadable, Errc::io, "Permission denied");
    if (user == 0) {
        ASSERT_EQ(::seteuid(user), 0);
    }
}

TEST_F(ProfileStoreTest, RefusesTheStoredBadFiles) {
    const std::string data = COMMMAP_TEST_DATA "/profile/";
    expect_refused(data + "profile_truncated.commmap", Errc::corrupt, "bytes of payload");
    expect_refused(data + "profile_bit_flipped.commmap", Errc::corrupt, "checksum");
    expect_refused(data + "profile_newer.commmap", Errc::not_supported, "version 4");
    expect_refused(data + "profile_v1.commmap", Errc::corrupt,
                   "version 1, which commmap reads no longer; record it again with srun");
    expect_refused(data + "profile_rank_out_of_range.commmap", Errc::corrupt,
                   "sends to rank 3 of 3");
}

/// Files as they were written when their version was fixed.
TEST_F(ProfileStoreTest, ReadsEveryVersion) {
    Profile version_2 = sample_profile();
    version_2.rounds = {};
    version_2.topologies = {};
    version_2.phases[0].rank_times.clear();
    version_2.ranks[0].calls[1].bytes = 0;
    for (ProfileRank& rank : version_2.ranks) {
        rank.waits.clear();
        rank.open_sends.clear();
        rank.early_messages = {};
    }
    for (const auto& [name, expected] :
         {std::pair{"profile_v2", version_2}, std::pair{"profile_v3", sample_profile()}}) {
        const Result<Profile> read =
            read_profile_file(std::string(COMMMAP_TEST_DATA "/profile/") + name + ".commmap");

        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(read.value() == expected) << name;
    }
}

TEST_F(ProfileStoreTest, SaysWhyItCannotSave) {
    write("file", "x");

    const auto saved = ProfileStore(directory_ + "/file/profiles").save(sample_profile());

    ASSERT_FALSE(saved);
    EXPECT_THAT(saved.error().message, HasSubstr(directory_ + "/file"));
}

/// Jobs of one executable that end at once: nothing is half, nothing of the last runs is lost.
TEST_F(ProfileStoreTest, ManyWritersAtOnce) {
    const auto save_often = [&](std::uint32_t writer) {
        Profile profile = sample_profile();
        for (std::uint32_t i = 0; i < 50; ++i) {
            profile.job_id = 1000 * writer + i;
            EXPECT_TRUE(store().save(profile));
            EXPECT_TRUE(load("build-id:00ff", 3));
        }
    };
    std::thread other(save_often, 1);
    save_often(2);
    other.join();

    const auto loaded = load("build-id:00ff", 3);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded.value().notes.size(), 0u);
    // and each writer left what it had just written, whatever its place among the others
    EXPECT_LE(std::distance(fs::directory_iterator(store().directory()), fs::directory_iterator()),
              ProfileStore::most_runs + 2);
    EXPECT_GE(store().runs_of("build-id:00ff", 3).value().size(), ProfileStore::most_runs);
}

}  // namespace
}  // namespace commmap
