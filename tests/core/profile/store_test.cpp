#include "core/profile/store.hpp"

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
    const Status saved = store().save(sample_profile());

    ASSERT_TRUE(saved) << saved.error().message;
    const Result<Profile> loaded = store().load("build-id:00ff", 3);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded.value().ranks[0].cpus, "0-3,8");
    struct stat status {};
    ASSERT_EQ(::stat(store().path_of("build-id:00ff", 3).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    ASSERT_EQ(::stat(store().directory().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(ProfileStoreTest, NamesFilesByIdentityAndRanks) {
    EXPECT_EQ(ProfileStore("/d").path_of("build-id:0a", 16), "/d/build-id-0a-np16.commmap");
    EXPECT_EQ(ProfileStore("/d").path_of("xxh128:0a", 1), "/d/xxh128-0a-np1.commmap");
}

TEST_F(ProfileStoreTest, NeverLeavesItsDirectory) {
    EXPECT_EQ(ProfileStore("/d").path_of("../../etc/x y\n", 2),
              "/d/%2E.%2F..%2Fetc%2Fx%20y%0A-np2.commmap");
    const std::string path = ProfileStore("/d").path_of(std::string(5000, '/'), 2);
    EXPECT_LT(path.size(), 255u);
    EXPECT_NE(path, ProfileStore("/d").path_of(std::string(5001, '/'), 2));
}

TEST_F(ProfileStoreTest, NotFoundListsTheOtherRankCounts) {
    Profile profile = sample_profile();
    ASSERT_TRUE(store().save(profile));
    profile.ranks.resize(10);
    ASSERT_TRUE(store().save(profile));

    const Result<Profile> loaded = store().load("build-id:00ff", 4);

    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, Errc::not_found);
    EXPECT_THAT(loaded.error().message, AllOf(HasSubstr("4 ranks"), HasSubstr("3, 10 ranks"),
                                              HasSubstr("--commmap=profile")));
    EXPECT_THAT(store().load("build-id:11", 4).error().message, Not(HasSubstr("there is one")));
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
    EXPECT_EQ(entries.value()[0].application_id, "build-id:00ff");
    EXPECT_EQ(entries.value()[0].num_ranks, 3u);
    EXPECT_EQ(entries.value()[0].size_bytes, fs::file_size(entries.value()[0].path));
}

TEST_F(ProfileStoreTest, RefusesAFileThatIsNotWhatItsNameSays) {
    ASSERT_TRUE(store().save(sample_profile()));
    fs::copy_file(store().path_of("build-id:00ff", 3), store().path_of("build-id:00ff", 4));

    const Result<Profile> loaded = store().load("build-id:00ff", 4);

    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, Errc::corrupt);
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
    expect_refused(data + "profile_newer.commmap", Errc::not_supported, "version 3");
    expect_refused(data + "profile_rank_out_of_range.commmap", Errc::corrupt,
                   "sends to rank 3 of 3");
}

/// Files as they were written when their version was fixed: they must be readable for ever.
TEST_F(ProfileStoreTest, ReadsEveryVersion) {
    Profile version_1 = sample_profile();
    Phase known;  // and no more
    known.sent = version_1.phases[0].sent;
    known.collectives = version_1.phases[0].collectives;
    for (CollectiveRecord& record : known.collectives) {
        record.member_bytes = record.bytes_per_call();
        record.member_calls = 1;
    }
    version_1.phases[0] = known;
    version_1.call_names.clear();
    for (RankRecord& rank : version_1.ranks) rank.calls.clear();
    version_1.slice_s = 0.0;
    version_1.phases_lost = false;
    for (const auto& [name, expected] :
         {std::pair{"profile_v1", version_1}, std::pair{"profile_v2", sample_profile()}}) {
        const Result<Profile> read =
            read_profile_file(std::string(COMMMAP_TEST_DATA "/profile/") + name + ".commmap");

        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(read.value() == expected) << name;
    }
}

TEST_F(ProfileStoreTest, SaysWhyItCannotSave) {
    write("file", "x");

    const Status saved = ProfileStore(directory_ + "/file/profiles").save(sample_profile());

    ASSERT_FALSE(saved);
    EXPECT_THAT(saved.error().message, HasSubstr(directory_ + "/file"));
}

TEST_F(ProfileStoreTest, TwoWritersLeaveOneWholeFile) {
    const auto save_often = [&] {
        for (int i = 0; i < 50; ++i) EXPECT_TRUE(store().save(sample_profile()));
    };
    std::thread other(save_often);
    save_often();
    other.join();

    EXPECT_TRUE(store().load("build-id:00ff", 3));
    EXPECT_EQ(std::distance(fs::directory_iterator(store().directory()), fs::directory_iterator()),
              1);
}

}  // namespace
}  // namespace commmap
