// encode_profile and decode_profile: what was written is read, and nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/profile/sample_profile.hpp"
#include "core/profile/store.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

using testing::HasSubstr;

TEST(ProfileCodec, ReadsWhatItWrote) {
    const Profile written = sample_profile();

    const Result<Profile> read = decode_profile(encode_profile(written));

    ASSERT_TRUE(read) << read.error().message;
    const Profile& p = read.value();
    EXPECT_EQ(p.application_id, written.application_id);
    EXPECT_EQ(p.command, written.command);
    EXPECT_EQ(p.mpi_library, written.mpi_library);
    EXPECT_EQ(p.recorder_version, written.recorder_version);
    EXPECT_EQ(p.recorded_unix_s, written.recorded_unix_s);
    EXPECT_EQ(p.job_id, written.job_id);
    EXPECT_EQ(p.nodes, written.nodes);
    EXPECT_EQ(p.communicators, written.communicators);
    ASSERT_EQ(p.collectives.size(), written.collectives.size());
    for (std::size_t i = 0; i < p.collectives.size(); ++i) {
        EXPECT_EQ(p.collectives[i].op, written.collectives[i].op);
        EXPECT_EQ(p.collectives[i].communicator, written.collectives[i].communicator);
        EXPECT_EQ(p.collectives[i].root, written.collectives[i].root);
        EXPECT_EQ(p.collectives[i].calls, written.collectives[i].calls);
        EXPECT_EQ(p.collectives[i].bytes_per_call, written.collectives[i].bytes_per_call);
        EXPECT_EQ(p.collectives[i].in_peer_traffic, written.collectives[i].in_peer_traffic);
    }
    ASSERT_EQ(p.ranks.size(), written.ranks.size());
    for (std::size_t r = 0; r < p.ranks.size(); ++r) {
        EXPECT_EQ(p.ranks[r].wall_s, written.ranks[r].wall_s);
        EXPECT_EQ(p.ranks[r].mpi_s, written.ranks[r].mpi_s);
        EXPECT_EQ(p.ranks[r].node, written.ranks[r].node);
        EXPECT_EQ(p.ranks[r].cpus, written.ranks[r].cpus);
        EXPECT_TRUE(std::equal(p.ranks[r].sent.begin(), p.ranks[r].sent.end(),
                               written.ranks[r].sent.begin(), written.ranks[r].sent.end(),
                               same_traffic));
    }
}

TEST(ProfileCodec, ReadsARunWithoutMessagesOrCollectives) {
    Profile silent;
    silent.nodes = {"n1"};
    silent.ranks.resize(2);
    for (std::size_t letters = 0; letters < 16;
         ++letters) {  // moves the empty lists through all alignments
        silent.command = std::string(letters, 'x');
        silent.ranks[0].cpus = std::string(letters / 2, '1');

        const Result<Profile> read = decode_profile(encode_profile(silent));

        ASSERT_TRUE(read) << letters << " letters: " << read.error().message;
        EXPECT_EQ(read.value().command, silent.command);
        EXPECT_EQ(read.value().ranks[0].cpus, silent.ranks[0].cpus);
    }
}

TEST(ProfileCodec, ReadsFromAnyAlignment) {
    const std::string content = encode_profile(sample_profile());
    for (std::size_t shift = 0; shift < 8; ++shift) {
        const std::string shifted = std::string(shift, 'x') + content;
        EXPECT_TRUE(decode_profile(std::string_view(shifted).substr(shift))) << shift;
    }
}

TEST(ProfileCodec, RefusesEveryTruncation) {
    const std::string content = encode_profile(sample_profile());
    for (std::size_t length = 0; length < content.size(); ++length) {
        const Result<Profile> read = decode_profile(std::string_view(content).substr(0, length));
        ASSERT_FALSE(read) << length;
        EXPECT_EQ(read.error().code, Errc::corrupt) << length;
    }
    EXPECT_FALSE(decode_profile(content + "x"));
}

TEST(ProfileCodec, RefusesEveryFlippedBit) {
    const std::string content = encode_profile(sample_profile());
    for (std::size_t at = 0; at < content.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = content;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            EXPECT_FALSE(decode_profile(damaged)) << "byte " << at << " bit " << bit;
        }
}

TEST(ProfileCodec, SaysWhenTheFileIsNewer) {
    std::string content = encode_profile(sample_profile());
    content[8] = static_cast<char>(profile_format_version + 1);

    const Result<Profile> read = decode_profile(content);

    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::not_supported);
    EXPECT_THAT(read.error().message, HasSubstr("version 2"));
}

/// Hostile content: the checksum is right, the rest need not be.
Result<Profile> decode_with_right_checksum(std::string content) {
    const std::uint64_t hash = XXH3_64bits(content.data() + 32, content.size() - 32);
    std::memcpy(content.data() + 24, &hash, sizeof hash);
    return decode_profile(content);
}

struct Case {
    const char* name;
    void (*spoil)(Profile&);
    const char* message;
};

class ProfileCodecMeaning : public testing::TestWithParam<Case> {};

TEST_P(ProfileCodecMeaning, IsChecked) {
    Profile profile = sample_profile();
    GetParam().spoil(profile);

    const Result<Profile> read = decode_profile(encode_profile(profile));

    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::corrupt);
    EXPECT_THAT(read.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ProfileCodecMeaning,
    testing::Values(
        Case{"no_ranks", [](Profile& p) { p.ranks.clear(); }, "no ranks"},
        Case{"peer", [](Profile& p) { p.ranks[2].sent[0].peer = 3; },
             "rank 2 sends to rank 3 of 3"},
        Case{"peers_order", [](Profile& p) { std::swap(p.ranks[0].sent[0], p.ranks[0].sent[1]); },
             "out of order"},
        Case{"peer_twice", [](Profile& p) { p.ranks[0].sent[1] = p.ranks[0].sent[0]; },
             "out of order"},
        Case{"node", [](Profile& p) { p.ranks[1].node = 2; }, "rank 1 ran on node 2 of 2"},
        Case{"time", [](Profile& p) { p.ranks[1].wall_s = -1; }, "rank 1 has an impossible time"},
        Case{"time_nan", [](Profile& p) { p.ranks[1].mpi_s = 0.0 / 0.0; },
             "rank 1 has an impossible time"},
        Case{"member", [](Profile& p) { p.communicators[1][0] = 3; },
             "communicator 1 has rank 3 of 3"},
        Case{"member_twice", [](Profile& p) { p.communicators[1][0] = 0; },
             "communicator 1 has rank 0 twice"},
        Case{"empty_communicator", [](Profile& p) { p.communicators[1].clear(); },
             "communicator 1 is empty"},
        Case{"communicator", [](Profile& p) { p.collectives[0].communicator = 2; },
             "communicator 2 of 2"},
        Case{"root", [](Profile& p) { p.collectives[0].root = 3; }, "root 3 of 3"},
        Case{"root_not_member", [](Profile& p) { p.collectives[0].root = 1; }, "not a member"},
        Case{"operation", [](Profile& p) { p.collectives[0].op = CollectiveOp::count_; },
             "unknown operation"}),
    [](const auto& c) { return std::string(c.param.name); });

TEST(ProfileCodec, SurvivesRandomDamageUnderARightChecksum) {
    const std::string content = encode_profile(sample_profile());
    std::mt19937 random(1);
    std::size_t refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string damaged = content;
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < changes; ++i)
            damaged[32 + random() % (content.size() - 32)] =
                static_cast<char>(random() % 4 == 0 ? 0xff : random());
        const Result<Profile> read = decode_with_right_checksum(damaged);
        if (!read)
            ++refused;
        else
            EXPECT_FALSE(encode_profile(read.value())
                             .empty());  // whatever was accepted can be walked through
    }
    EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace commmap
