// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/unfinished_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/frames.hpp"
#include "core/profile/store/unfinished_path.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class UnfinishedRunTest : public testing::Test {
protected:
    static fs::path make_directory() {
        std::string name = (fs::temp_directory_path() / "commmap-unfinished-XXXXXX").string();
        return ::mkdtemp(name.data());
    }
    ~UnfinishedRunTest() override { fs::remove_all(directory_); }

    /// Of a run on three ranks: each sends one message of 10 bytes to the next.
    static NodePart part(std::initializer_list<RankId> ranks, bool finished) {
        NodePart part{"/x/app", "Some MPI", 3, {}};
        for (const RankId rank : ranks) {
            RankRecord& record = part.records.emplace_back();
            record.rank = rank;
            record.application_id = "build-id:1";
            record.node = "m" + std::to_string(rank);
            record.cpus = "0";
            record.finished = finished;
            record.sections.emplace_back().sent = {{(rank + 1) % 3, 0, 1, 10}};
        }
        return part;
    }

    /// As the planner reads it.
    [[nodiscard]] Result<LoadedProfile> load() const {
        const auto paths = find_runs(std::span(&store_, 1), "build-id:1", 3);
        if (!paths) return paths.error();
        return read_runs(paths.value().paths);
    }

    fs::path directory_ = make_directory();
    ProfileStore store_{directory_};
    UnfinishedRun run_{directory_, 7, 0};
};

TEST_F(UnfinishedRunTest, MakesACompleteProfileOfRanksThatFinished) {
    ASSERT_TRUE(run_.keep(0, part({0, 1}, true)));
    ASSERT_TRUE(run_.keep(1, part({2}, true)));

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), StartsWith("recorded 3 ranks, 3 messages, 30 bytes in '"));
    const auto loaded = load();
    ASSERT_TRUE(loaded) << loaded.error().message;
    const Profile& profile = loaded.value().profile;
    EXPECT_TRUE(profile.complete);
    EXPECT_EQ(profile.job_id, 7u);
    EXPECT_EQ(profile.command, "/x/app");
    EXPECT_EQ(profile.phases[0].sent.sent_by(2)[0].peer, 0u);
    EXPECT_FALSE(fs::exists(directory_ / own_name(".unfinished")));
}

TEST_F(UnfinishedRunTest, APartialProfileOfAllRanksServesUntilThereIsAWholeOne) {
    ASSERT_TRUE(run_.keep(0, part({0, 1, 2}, false)));

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_EQ(collected.value(), "partial profile, until it was ended: '" +
                                     store_.partial_path_of("build-id:1", 3) + "'\n");
    const auto loaded = load();
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_FALSE(loaded.value().profile.complete);
    ASSERT_EQ(store_.list().value().size(), 1u);
    EXPECT_TRUE(store_.list().value()[0].name.partial);

    ASSERT_TRUE(run_.keep(0, part({0, 1, 2}, true)));
    ASSERT_TRUE(run_.collect(store_));
    ASSERT_EQ(store_.list().value().size(), 1u);
    EXPECT_FALSE(store_.list().value()[0].name.partial);
}

TEST_F(UnfinishedRunTest, APartialProfileWithRanksMissingIsForPeople) {
    ASSERT_TRUE(run_.keep(4, part({1}, true)));

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), HasSubstr("partial profile, without 0 2 of 3 ranks: "));
    const auto profile = read_profile_file(store_.partial_path_of("build-id:1", 3));
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_EQ(profile.value().missing, (std::vector<RankId>{0, 2}));
    const auto loaded = load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, Errc::not_found);
    EXPECT_THAT(loaded.error().message, HasSubstr("2 ranks are missing; record one"));
}

TEST_F(UnfinishedRunTest, LeavesTheCompleteProfileOfTheSameRun) {
    ASSERT_TRUE(run_.keep(0, part({0, 1, 2}, true)));
    ASSERT_TRUE(run_.collect(store_));
    ASSERT_TRUE(run_.keep(0, part({1}, true)));  // killed when rank 0 had its record

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), StartsWith("recorded 3 ranks, 3 messages, 30 bytes in '"));
    EXPECT_FALSE(fs::exists(store_.partial_path_of("build-id:1", 3)));
    EXPECT_FALSE(fs::exists(directory_ / own_name(".unfinished")));
    EXPECT_EQ(run_.collect(store_).value(), collected.value()) << "without parts";
}

/// Rank 0 was killed when it had all records, and others did not know that.
TEST_F(UnfinishedRunTest, APartThatIsTheWholeRunStandsForAll) {
    ASSERT_TRUE(run_.keep(1, part({1, 2}, false)));
    ASSERT_TRUE(run_.keep(2, part({0, 1, 2}, true)));

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), StartsWith("recorded 3 ranks, "));
    EXPECT_TRUE(load().value().profile.complete);
}

/// A step may run its program several times, and two clusters with one home have equal numbers.
TEST_F(UnfinishedRunTest, SavesEachWholeRun) {
    const auto whole = part({0, 1, 2}, true);
    EXPECT_TRUE(whole.is_whole_run());
    EXPECT_FALSE(part({0, 1, 2}, false).is_whole_run());
    EXPECT_FALSE(part({0, 2}, true).is_whole_run());

    const auto saved = run_.save({whole}, store_);
    auto other = whole;
    other.records[0].sections[0].sent[0].bytes = 11;
    const auto again = run_.save({other}, store_);

    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_THAT(saved.value(), StartsWith("recorded 3 ranks, 3 messages, 30 bytes in '"));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_THAT(again.value(), StartsWith("recorded 3 ranks, 3 messages, 31 bytes in '"));
    EXPECT_EQ(store_.list().value().size(), 2u);
}

TEST_F(UnfinishedRunTest, SaysThatTheProgramHasNoIdentity) {
    auto whole = part({0, 1, 2}, true);
    for (RankRecord& record : whole.records) record.application_id.clear();

    EXPECT_EQ(run_.save({whole}, store_).error().message,
              "the program's own file '/x/app' cannot be read; set COMMMAP_APP_ID");
}

/// Of a job that was queued again, or of another cluster with this home.
TEST_F(UnfinishedRunTest, AnOlderRunWithTheSameNumbersIsAnother) {
    ASSERT_TRUE(run_.save({part({0, 1, 2}, true)}, store_));
    const auto older = fs::file_time_type::clock::now() - std::chrono::minutes(5);
    fs::last_write_time(store_.list().value()[0].path, older);
    NodePart other = part({0, 1, 2}, true);
    other.records[0].sections[0].sent[0].bytes = 11;
    ASSERT_TRUE(run_.keep(0, other));

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), StartsWith("recorded 3 ranks, 3 messages, 31 bytes in '"));
    EXPECT_EQ(store_.list().value().size(), 2u);
}

TEST_F(UnfinishedRunTest, AWorsePartialProfileDoesNotReplaceABetterOne) {
    ASSERT_TRUE(run_.keep(0, part({0, 1}, false)));
    ASSERT_TRUE(run_.collect(store_));
    ASSERT_TRUE(run_.keep(1, part({2}, false)));  // a node that came late

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), testing::StartsWith("partial profile not kept, 2 ranks are"));
    const std::string path = store_.partial_path_of("build-id:1", 3);
    EXPECT_EQ(read_profile_file(path).value().missing, (std::vector<RankId>{2}));

    const UnfinishedRun later(directory_, 8, 0);
    ASSERT_TRUE(later.keep(0, part({0, 1, 2}, false)));
    ASSERT_TRUE(later.collect(store_));
    EXPECT_EQ(read_profile_file(path).value().job_id, 8u);
}

TEST_F(UnfinishedRunTest, AnotherStepsPartIsNotDroppedForACompleteProfile) {
    ASSERT_TRUE(run_.keep(0, part({0, 1, 2}, true)));
    ASSERT_TRUE(run_.collect(store_));
    const UnfinishedRun next_step(directory_, 7, 1);
    ASSERT_TRUE(next_step.keep(0, part({0, 1, 2}, false)));

    const auto collected = next_step.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), testing::StartsWith("partial profile, until it was ended: "));
}

TEST_F(UnfinishedRunTest, RefusesWhatDoesNotFit) {
    EXPECT_EQ(run_.collect(store_).error().code, Errc::not_found);
    NodePart other = part({2}, true);
    other.num_ranks = 4;
    ASSERT_TRUE(run_.keep(0, part({0}, true)));
    ASSERT_TRUE(run_.keep(1, other));
    const std::vector<NodePart> of_different_sizes = {part({0}, true), other};
    EXPECT_EQ(merge_node_parts(of_different_sizes).error().code, Errc::invalid_input);
    ASSERT_TRUE(run_.keep(1, part({3}, true)));
    EXPECT_EQ(run_.collect(store_).error().code, Errc::corrupt);
    EXPECT_TRUE(fs::exists(unfinished_path(directory_, 7, 0)));  // nothing is lost
}

/// Of another build while a cluster is upgraded, of a full disk, of another number of ranks.
TEST_F(UnfinishedRunTest, APartThatCannotBeUsedCostsItsOwnRanks) {
    NodePart other = part({1}, true);
    other.num_ranks = 4;
    ASSERT_TRUE(run_.keep(0, other));  // the first is not the one that is believed
    ASSERT_TRUE(run_.keep(1, part({0}, true)));
    ASSERT_TRUE(run_.keep(2, part({2}, true)));
    std::ofstream(fs::path(run_.directory()) / "3.part") << "CMPART";

    const auto collected = run_.collect(store_);

    ASSERT_TRUE(collected) << collected.error().message;
    EXPECT_THAT(collected.value(), StartsWith("partial profile, without 1 of 3 ranks: "));
    EXPECT_THAT(collected.value(), HasSubstr("'; cannot use '" + run_.directory()));
    EXPECT_TRUE(fs::exists(fs::path(run_.directory()) / "3.part")) << "for who can use it";
}

TEST_F(UnfinishedRunTest, PartsOfWhichNoneCanBeUsedStay) {
    ASSERT_TRUE(run_.keep(0, part({0}, true)));
    std::ofstream(fs::path(run_.directory()) / "0.part") << "CMPART";

    const auto collected = run_.collect(store_);

    EXPECT_EQ(collected.error().code, Errc::corrupt);
    EXPECT_THAT(collected.error().message, HasSubstr("0.part': it is damaged"));
    EXPECT_TRUE(fs::exists(run_.directory()));
}

constexpr std::size_t header_bytes = 24;
constexpr std::size_t hashed_from = 16;

std::string signed_again(std::string part) {
    const std::uint64_t hash = XXH3_64bits(part.data() + hashed_from, part.size() - hashed_from);
    std::memcpy(part.data() + hashed_from - sizeof hash, &hash, sizeof hash);
    return part;
}

TEST(NodePartCodec, RefusesDamagedParts) {
    NodePart part{"/x/app", "Some MPI", 1, {}};
    part.records.emplace_back().sections.emplace_back();
    const std::string bytes = encode_node_part(part);
    ASSERT_TRUE(decode_node_part(bytes));
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decode_node_part(std::string_view(bytes).substr(0, length))) << length;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        EXPECT_FALSE(decode_node_part(damaged)) << at;
    }
}

/// Calls have numbers in it, which differ from version to version.
TEST(NodePartCodec, RefusesPartsOfAnotherVersionAndWhatIsBehindThem) {
    NodePart part{"/x/app", "Some MPI", 1, {}};
    part.records.emplace_back().sections.emplace_back();
    const std::string bytes = encode_node_part(part);
    ASSERT_TRUE(decode_node_part(signed_again(bytes)));

    std::string other = bytes;
    other[hashed_from] ^= 1;  // of the version's hash
    EXPECT_EQ(decode_node_part(signed_again(other)).error().code, Errc::not_supported);
    std::string earlier = bytes;
    earlier.replace(0, 8, "CMPART2\n");
    EXPECT_EQ(decode_node_part(earlier).error().code, Errc::not_supported);
    EXPECT_EQ(decode_node_part(signed_again(bytes + "x")).error().code, Errc::corrupt);
    // it is looked at before the rest is
    EXPECT_EQ(decode_node_part(signed_again(other + "x")).error().code, Errc::not_supported);
}

/// The checksum is right there, and the verifier has to see it.
TEST(NodePartCodec, RefusesBuffersThatAreNone) {
    NodePart part{"/x/app", "Some MPI", 1, {}};
    part.records.emplace_back().sections.emplace_back();
    const std::string bytes = encode_node_part(part);
    std::string_view frames(bytes);
    frames.remove_prefix(header_bytes);
    std::string_view head;
    std::string_view record;
    ASSERT_TRUE(take_frame(frames, head) && take_frame(frames, record) && frames.empty());
    const auto reads = [&](std::string_view first, std::string_view second) {
        std::string changed = bytes.substr(0, header_bytes);
        append_frame(changed, first);
        append_frame(changed, second);
        return decode_node_part(signed_again(changed)).ok();
    };
    ASSERT_TRUE(reads(head, record));

    EXPECT_FALSE(reads(record, head));
    EXPECT_FALSE(reads(head, head));
    EXPECT_FALSE(reads("", record));
    for (std::size_t at = 0; at < 12; ++at) {  // size, root, identifier
        std::string damaged(head);
        damaged[at] = static_cast<char>(damaged[at] ^ '\x80');
        EXPECT_FALSE(reads(damaged, record)) << at;
    }
}

TEST_F(UnfinishedRunTest, TheGroupMayReadTheDirectoryAndNobodyTheParts) {
    const fs::path shared = directory_ / "shared";
    fs::create_directory(shared);
    fs::permissions(shared, fs::perms::owner_all | fs::perms::group_all | fs::perms::set_gid);
    const UnfinishedRun run((shared / "a/profiles").string(), 7, 0);
    ASSERT_TRUE(run.keep(0, part({0}, true), FileVisibility::group));

    const auto mode = [](const fs::path& path) {
        return static_cast<unsigned>(fs::status(path).permissions());
    };
    EXPECT_EQ(mode(shared / "a"), 02750U);
    EXPECT_EQ(mode(shared / "a/profiles"), 02750U);
    EXPECT_EQ(mode(shared / "a/profiles" / own_name(".unfinished")) & 0777, 0700U);
    EXPECT_EQ(mode(run.directory()) & 0777, 0700U);
}

TEST_F(UnfinishedRunTest, FollowsNoLink) {
    const fs::path profiles = directory_ / "linked";
    fs::create_directories(directory_ / "elsewhere/7.0");
    fs::create_directory(profiles);
    fs::create_symlink(directory_ / "elsewhere", profiles / own_name(".unfinished"));
    const UnfinishedRun run(profiles.string(), 7, 0);

    EXPECT_EQ(run.keep(0, part({0}, true)).error().code, Errc::io);
    EXPECT_TRUE(fs::is_empty(directory_ / "elsewhere/7.0"));
    EXPECT_EQ(run.parts().error().code, Errc::io);
}

TEST_F(UnfinishedRunTest, LeavesAloneWhatOthersCanWrite) {
    fs::create_directory(directory_ / own_name(".unfinished"));
    fs::permissions(directory_ / own_name(".unfinished"), fs::perms::all);

    EXPECT_EQ(run_.keep(0, part({0}, true)).error().code, Errc::io);
    EXPECT_TRUE(fs::is_empty(directory_ / own_name(".unfinished")));
}

}  // namespace
}  // namespace commmap
