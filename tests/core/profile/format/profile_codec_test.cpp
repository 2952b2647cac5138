// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// encode_profile and decode_profile: what was written is read, and nothing else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/base/file.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/profile_file.hpp"
#include "core/profile/format/profile_v3_generated.h"
#include "core/profile/format/rounds_section.hpp"
#include "core/profile/sample_profile.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

using testing::HasSubstr;
using testing::Not;

/// How a file is written: by the recorder, and by the tools.
class ProfileCodec : public testing::TestWithParam<Compress> {
protected:
    [[nodiscard]] static std::string encode(const Profile& profile) {
        return encode_profile(profile, GetParam());
    }
};
INSTANTIATE_TEST_SUITE_P(Written, ProfileCodec, testing::Values(Compress{nullptr}, compress_zstd),
                         [](const auto& c) {
                             return std::string(c.param == nullptr ? "as_it_is" : "compressed");
                         });

/// More than a section holds, of what is worth compressing.
Profile large_profile() {
    Profile profile = sample_profile();
    constexpr RankId num_ranks = (1U << 18) + 3;
    profile.ranks.resize(num_ranks, profile.ranks[1]);
    profile.phases[0].rank_times.resize(num_ranks, {0.5F, 0.25F});
    profile.rounds = {};
    Phase& phase = profile.phases.emplace_back();
    phase.label = "output";
    for (RankId rank = 0; rank < num_ranks; ++rank)
        phase.sent.add_row(std::vector<TrafficCell>{{(rank + 1) % num_ranks, 3, rank + 1, 500}});
    // one row alone is more than a section's cells
    std::vector<TrafficCell> to_all;
    for (RankId peer = 0; peer < num_ranks; ++peer)
        for (std::uint32_t bucket = 0; bucket < 5; ++bucket) to_all.push_back({peer, bucket, 1, 1});
    Phase& alone = profile.phases.emplace_back();
    alone.sent = TrafficMatrix({{}, to_all, {{0, 1, 1, 20}}});
    for (RankId rank = 3; rank < num_ranks; ++rank) alone.sent.add_row({});
    return profile;
}

/// Ranks behind the last row send nothing; in a file every rank has a row.
Profile with_all_rows(Profile profile) {
    for (Phase& phase : profile.phases)
        while (phase.sent.num_ranks() < profile.num_ranks()) phase.sent.add_row({});
    return profile;
}

TEST_P(ProfileCodec, ReadsWhatItWrote) {
    for (const Profile& written : {sample_profile(), large_profile()}) {
        const Result<Profile> read = decode_profile(encode(written));

        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(read.value() == with_all_rows(written)) << written.num_ranks();
    }
}

TEST_P(ProfileCodec, ReadsAPartialProfile) {
    Profile written = sample_profile();
    written.complete = false;
    written.missing = {0, 2};

    const Result<Profile> read = decode_profile(encode(written));

    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read.value() == written);
}

TEST_P(ProfileCodec, ReadsAPhaseAlone) {
    const Profile written = large_profile();
    const std::string content = encode(written);

    const auto file = ProfileFile::of_content(content);

    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file.value().head().command, written.command);
    EXPECT_EQ(file.value().num_ranks(), written.num_ranks());
    ASSERT_EQ(file.value().phases().size(), 3u);
    EXPECT_EQ(file.value().phases()[1].label, "output");
    EXPECT_EQ(file.value().phases()[1].sent.bytes, 500 * written.num_ranks());
    EXPECT_EQ(file.value().phases()[1].num_cells, written.num_ranks());
    EXPECT_TRUE(file.value().phase(1).value() == written.phases[1]);
}

/// What is damaged costs what is in it, not the rest.
TEST_P(ProfileCodec, ReadsWhatIsWholeInADamagedFile) {
    const Profile written = large_profile();
    std::string content = encode(written);
    content.back() = static_cast<char>(content.back() ^ 1);  // of the last phase

    const auto file = ProfileFile::of_content(content);

    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file.value().phase(1));
    EXPECT_THAT(file.value().phase(2).error().message, HasSubstr("phase 2: its checksum"));
}

TEST(ProfileCompression, MakesFewerBytes) {
    Profile profile = large_profile();
    for (ProfileRank& rank : profile.ranks) {  // which have sections of their own
        rank.waits.clear();
        rank.open_sends.clear();
        rank.early_messages = {};
    }
    const std::size_t as_it_is = encode_profile(profile).size();
    EXPECT_LT(encode_profile(profile, compress_zstd).size(), as_it_is / 4);
    // at most 21 bytes a cell, and some for each rank
    std::size_t cells = 0;
    for (const Phase& phase : profile.phases) cells += phase.sent.num_cells();
    EXPECT_LT(as_it_is, 21 * cells + 60 * profile.num_ranks());
}

TEST_P(ProfileCodec, ReadsARunWithoutMessagesOrCollectives) {
    Profile silent;
    silent.nodes = {"n1"};
    silent.ranks.resize(2);
    for (std::size_t letters = 0; letters < 16;
         ++letters) {  // moves the empty lists through all alignments
        silent.command = std::string(letters, 'x');
        silent.ranks[0].cpus = std::string(letters / 2, '1');

        const Result<Profile> read = decode_profile(encode(silent));

        ASSERT_TRUE(read) << letters << " letters: " << read.error().message;
        EXPECT_EQ(read.value().command, silent.command);
        EXPECT_EQ(read.value().ranks[0].cpus, silent.ranks[0].cpus);
    }
}

TEST_P(ProfileCodec, ReadsFromAnyAlignment) {
    const std::string content = encode(sample_profile());
    for (std::size_t shift = 0; shift < 8; ++shift) {
        const std::string shifted = std::string(shift, 'x') + content;
        EXPECT_TRUE(decode_profile(std::string_view(shifted).substr(shift))) << shift;
    }
}

TEST_P(ProfileCodec, RefusesEveryTruncation) {
    const std::string content = encode(sample_profile());
    for (std::size_t length = 0; length < content.size(); ++length) {
        const Result<Profile> read = decode_profile(std::string_view(content).substr(0, length));
        ASSERT_FALSE(read) << length;
        EXPECT_EQ(read.error().code, Errc::corrupt) << length;
    }
    EXPECT_FALSE(decode_profile(content + "x"));
}

TEST_P(ProfileCodec, RefusesEveryFlippedBit) {
    const std::string content = encode(sample_profile());
    for (std::size_t at = 0; at < content.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = content;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
            EXPECT_FALSE(decode_profile(damaged)) << "byte " << at << " bit " << bit;
        }
}

TEST_P(ProfileCodec, SaysWhenTheFileIsNewer) {
    std::string content = encode(sample_profile());
    content[8] = static_cast<char>(profile_format_version + 1);

    const Result<Profile> read = decode_profile(content);

    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Errc::not_supported);
    EXPECT_THAT(read.error().message, HasSubstr("version 4"));
}

struct Case {
    const char* name;
    void (*spoil)(Profile&);
    const char* message;
};

/// By rank 0.
void sends(Profile& profile, const std::vector<TrafficCell>& row) {
    profile.phases[0].sent = TrafficMatrix({row, {}, {}});
}

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
        Case{"peer",
             [](Profile& p) {
                 sends(p, {{3, 0, 1, 1}});
             },
             "rank 0 sends to rank 3 of 3"},
        Case{"peers_order",
             [](Profile& p) {
                 sends(p, {{2, 0, 1, 1}, {1, 0, 1, 1}});
             },
             "out of order"},
        Case{"peer_twice",
             [](Profile& p) {
                 sends(p, {{1, 4, 1, 1}, {1, 4, 1, 1}});
             },
             "out of order"},
        Case{"bucket",
             [](Profile& p) {
                 sends(p, {{1, num_size_buckets, 1, 1}});
             },
             "size bucket"},
        Case{"no_messages",
             [](Profile& p) {
                 sends(p, {{1, 0, 0, 0}});
             },
             "size bucket"},
        Case{"missing", [](Profile& p) { p.missing = {1}; }, "missing ranks"},
        Case{"node", [](Profile& p) { p.ranks[1].node = 2; }, "rank 1 ran on node 2 of 2"},
        Case{"time", [](Profile& p) { p.ranks[1].wall_s = -1; }, "rank 1 has an impossible time"},
        Case{"time_nan", [](Profile& p) { p.ranks[1].mpi_s = 0.0 / 0.0; },
             "rank 1 has an impossible time"},
        Case{"call", [](Profile& p) { p.ranks[0].calls[1].call = 2; }, "calls that are none"},
        Case{"call_twice", [](Profile& p) { p.ranks[0].calls[1].call = 0; }, "calls that are none"},
        Case{"call_time", [](Profile& p) { p.ranks[0].calls[1].seconds = -1.0F; },
             "rank 0 has an impossible time"},
        Case{"wait_for_nobody", [](Profile& p) { p.ranks[0].waits[1].peer = 3; },
             "rank 0 waited for ranks out of order"},
        Case{"wait_twice", [](Profile& p) { p.ranks[0].waits[1].peer = 0; },
             "rank 0 waited for ranks out of order"},
        Case{"wait_time", [](Profile& p) { p.ranks[2].waits[0].seconds = -1.0F; },
             "rank 2 has an impossible time"},
        Case{"send_of_no_size",
             [](Profile& p) { p.ranks[1].open_sends[1].bucket = num_size_buckets; },
             "rank 1 has sends of a bad size bucket"},
        Case{"size_twice", [](Profile& p) { p.ranks[1].open_sends[1].bucket = 3; },
             "rank 1 has sends of a bad size bucket"},
        Case{"no_sends", [](Profile& p) { p.ranks[1].open_sends[0].sends = 0; },
             "rank 1 has sends of a bad size bucket"},
        Case{"more_early_than_looked_at",
             [](Profile& p) { p.ranks[0].early_messages = {.looked_at = 1, .early = 2}; },
             "rank 0 has more early messages than receives"},
        Case{"phase_time", [](Profile& p) { p.phases[0].times[1].end_s = 0.0; },
             "phase 0 has an impossible time"},
        Case{"phase_rank_time", [](Profile& p) { p.phases[0].rank_times[1].mpi_s = -1.0F; },
             "phase 0 has an impossible time of a rank"},
        Case{"phase_rank_missing", [](Profile& p) { p.phases[0].rank_times.pop_back(); },
             "not a section for every rank"},
        Case{"cpus", [](Profile& p) { p.ranks[0].cpus.assign(max_cpus_letters + 1, '1'); },
             "too many CPUs"},
        Case{"member", [](Profile& p) { p.communicators[1][0] = 3; },
             "communicator 1 has rank 3 of 3"},
        Case{"member_twice", [](Profile& p) { p.communicators[1][0] = 0; },
             "communicator 1 has rank 0 twice"},
        Case{"empty_communicator", [](Profile& p) { p.communicators[1].clear(); },
             "communicator 1 is empty"},
        Case{"topology", [](Profile& p) { p.topologies[1].communicator = 2; },
             "topology 1 is on communicator 2 of 2"},
        Case{"grid_of_others", [](Profile& p) { p.topologies[0].dims[1] = 2; },
             "topology 0 is no grid of its members"},
        Case{"grid_too_large",
             [](Profile& p) {
                 p.topologies[0].dims = {1U << 31U, 1U << 31U};
             },
             "topology 0 is no grid of its members"},
        Case{"grid_of_nothing", [](Profile& p) { p.topologies[0].dims[1] = 0; },
             "topology 0 is no grid of its members"},
        Case{"too_many_sides",
             [](Profile& p) {
                 p.topologies[0].dims.resize(ProcessTopology::most_dims + 1, 1);
                 p.topologies[0].periodic.resize(ProcessTopology::most_dims + 1, 0);
             },
             "topology 0 is no grid of its members"},
        Case{"periodic", [](Profile& p) { p.topologies[0].periodic[1] = 2; },
             "topology 0 is no grid of its members"},
        Case{"periodic_missing", [](Profile& p) { p.topologies[0].periodic.pop_back(); },
             "topology 0 has more sides than the file"},
        Case{"periodic_of_nothing", [](Profile& p) { p.topologies[0].periodic.push_back(0); },
             "do not fit together"},
        Case{"neighbours_missing", [](Profile& p) { p.topologies[1].destinations.pop_back(); },
             "topology 1 has too few members"},
        Case{"neighbours_of_nobody",
             [](Profile& p) { p.topologies[1].destinations.push_back({1}); },
             "do not fit together"},
        Case{"neighbour", [](Profile& p) { p.topologies[1].destinations[0][1] = 3; },
             "topology 1 has a neighbour out of range"},
        Case{"communicator", [](Profile& p) { p.phases[0].collectives[0].communicator = 2; },
             "communicator 2 of 2"},
        Case{"root", [](Profile& p) { p.phases[0].collectives[0].root = 3; }, "root 3 of 3"},
        Case{"root_not_member", [](Profile& p) { p.phases[0].collectives[0].root = 1; },
             "not a member"},
        Case{"collective_bucket",
             [](Profile& p) { p.phases[0].collectives[0].bucket = num_size_buckets; },
             "collective 0 has a bad size bucket"},
        Case{"operation", [](Profile& p) { p.phases[0].collectives[0].op = CollectiveOp::count_; },
             "unknown operation"}),
    [](const auto& c) { return std::string(c.param.name); });

void put(std::string& content, std::size_t at, std::uint64_t value) {
    std::memcpy(content.data() + at, &value, sizeof value);
}
std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// Hostile content: the checksums are right, the rest need not be. Of a file whose index ends at
/// `index_end` and whose sections are `sections`.
class Hostile {
public:
    explicit Hostile(std::string content) : content_(std::move(content)) {
        std::memcpy(&index_bytes_, content_.data() + 16, sizeof index_bytes_);
        if (content_[8] == 1) return;
        const auto* index = format3::GetIndex(content_.data() + header_bytes);
        const auto keep = [&](const format3::Section& s) {
            sections_.push_back(
                {header_bytes + index_bytes_ + s.offset(), s.stored_bytes(), s.xxh3()});
        };
        keep(*index->communicators());
        keep(*index->topologies());
        for (const auto* part : *index->ranks()) keep(part->section());
        for (const auto* part : *index->calls()) keep(part->section());
        for (const auto* part : *index->waits()) keep(part->section());
        for (const auto* part : *index->open_sends()) keep(part->section());
        keep(*index->round_collectives());
        for (const auto* part : *index->rounds()) keep(part->section());
        for (const auto* phase : *index->phases()) {
            keep(*phase->collectives());
            for (const auto* part : *phase->traffic()) keep(part->section());
            if (phase->rank_times() == nullptr) continue;
            for (const auto* part : *phase->rank_times()) keep(part->section());
        }
    }
    /// @param at  behind the header
    std::string damaged(const std::vector<std::pair<std::size_t, char>>& changes) const {
        std::string content = content_;
        for (const auto& [at, letter] : changes) content[at] = letter;
        const std::string_view view(content);
        for (const auto& [offset, bytes, hash] : sections_) {
            std::string old(sizeof hash, '\0');
            put(old, 0, hash);
            const auto at = view.substr(0, header_bytes + index_bytes_).find(old);
            if (at != std::string::npos) put(content, at, hash_of(view.substr(offset, bytes)));
        }
        put(content, 24, hash_of(view.substr(header_bytes, index_bytes_)));
        return content;
    }
    [[nodiscard]] std::size_t size() const { return content_.size(); }
    static constexpr std::size_t header_bytes = 32;

private:
    struct Place {
        std::uint64_t offset;
        std::uint64_t bytes;
        std::uint64_t hash;
    };
    std::string content_;
    std::uint64_t index_bytes_ = 0;
    std::vector<Place> sections_;
};

/// Of one rank; its sections are those of an empty one.
std::string made_up(std::size_t num_phases, std::size_t letters, bool overlapping) {
    Profile profile;
    profile.ranks.resize(1);
    profile.nodes = {"n"};
    profile.phases.resize(1);
    const std::string whole = encode_profile(profile);
    std::uint64_t index_bytes = 0;
    std::memcpy(&index_bytes, whole.data() + 16, sizeof index_bytes);
    const auto* index = format3::GetIndex(whole.data() + 32);
    const format3::Phase* phase = index->phases()->Get(0);
    flatbuffers::FlatBufferBuilder builder;
    const std::vector<format3::RankSection> ranks = {*index->ranks()->Get(0)};
    const std::vector<format3::RankSection> traffic = {*phase->traffic()->Get(0)};
    const std::vector<format3::RankSection> calls = {overlapping ? ranks[0]
                                                                 : *index->calls()->Get(0)};
    const auto one = format3::CreatePhaseDirect(builder, std::string(letters, 'x').c_str(), 0, 0, 0,
                                                nullptr, 0, 0, &traffic, phase->collectives());
    const std::vector<flatbuffers::Offset<format3::Phase>> phases(num_phases, one);
    const std::vector<flatbuffers::Offset<flatbuffers::String>> names = {builder.CreateString("n")};
    builder.Finish(format3::CreateIndexDirect(builder, "id", "", "", "", 0, 0, 0, 1, false, nullptr,
                                              &names, &ranks, index->communicators(), &phases, 0.0,
                                              false, &names, &calls));
    std::string made = whole.substr(0, 32);
    made.append(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
    put(made, 16, builder.GetSize());
    put(made, 24, hash_of(std::string_view(made).substr(32)));
    return made + whole.substr(32 + index_bytes);
}

TEST(MadeUpProfile, IsRefusedBeforeItTakesMuch) {
    const auto right = decode_profile(made_up(1, 10, false));
    ASSERT_TRUE(right) << right.error().message;
    EXPECT_THAT(decode_profile(made_up(100'000, 0, false)).error().message,
                HasSubstr("100000 phases"));
    EXPECT_THAT(decode_profile(made_up(2, 0, false)).error().message,
                HasSubstr("one behind the other"));
    EXPECT_THAT(decode_profile(made_up(1, 0, true)).error().message,
                HasSubstr("one behind the other"));
    EXPECT_THAT(decode_profile(made_up(1, 10'000, false)).error().message, HasSubstr("too long"));
}

/// One signature, whose messages many courses have.
TEST(MadeUpProfile, RoundsAreNoLongerThanTheirSection) {
    const auto section = [](std::size_t num_courses) {
        flatbuffers::FlatBufferBuilder builder;
        const std::vector<std::uint32_t> distance(1000, 0);
        const std::vector<std::uint8_t> bucket(1000, 0);
        const std::vector<std::uint64_t> amount(1000, 1);
        const std::vector<std::uint32_t> none;
        const std::vector<std::uint8_t> no_bucket;
        const std::vector<std::uint64_t> no_amount;
        const std::vector signatures = {format3::CreateSignatureDirect(
            builder, 1, &distance, &bucket, &amount, &amount, &none, &no_bucket, &no_amount,
            &no_amount, &none, &no_bucket, &no_amount, &no_amount, &none, &none, &none, &no_amount,
            &no_amount, &none, &none, &none)};
        const auto course = format3::CreateCourseDirect(builder, &signatures, 0, &no_bucket,
                                                        &no_bucket, &no_bucket, &no_amount, false);
        const std::vector courses(num_courses, course);
        const std::vector<std::uint32_t> course_of(num_courses, 0);
        const std::vector<double> seconds(num_courses, 0.0);
        builder.Finish(
            format3::CreateRoundsDirect(builder, &courses, &course_of, &seconds, &seconds));
        return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                           builder.GetSize());
    };
    const auto read = [](const std::string& bytes, std::uint32_t num_ranks) {
        std::vector<RankRounds> ranks;
        const auto* in = flatbuffers::GetRoot<format3::Rounds>(bytes.data());
        const Status status = add_rounds(*in, num_ranks, bytes.size(), {num_ranks, 0, 0}, ranks);
        return status ? std::string() : status.error().message;
    };

    // the messages are all to one peer, which no row may have
    EXPECT_THAT(read(section(1), 1), HasSubstr("cannot be"));
    EXPECT_THAT(read(section(500), 500), HasSubstr("do not fit"));
}

TEST(MadeUpProfile, ARoundHasNoMoreActsThanFit) {
    for (const auto damage : {+[](Signature& s) { s.meetings[0].begun = 5000; },
                              +[](Signature& s) { s.meetings[0].completed = UINT32_MAX; },
                              +[](Signature& s) {
                                  s.received = {{0, UINT32_MAX}};
                              },
                              +[](Signature& s) {
                                  s.sent = {{1, 0, UINT64_MAX, 1}};
                              }}) {
        Profile profile = sample_profile();
        damage(profile.rounds.ranks[0].signatures[1]);

        EXPECT_THAT(decode_profile(encode_profile(profile)).error().message,
                    HasSubstr("rounds that cannot be"));
    }
}

TEST(ProfileSections, ThatCannotBeReadAreNotWritten) {
    Profile profile = sample_profile();
    EXPECT_TRUE(check_section_sizes(profile));
    profile.ranks[1].cpus.assign(max_section_bytes, '1');
    EXPECT_EQ(check_section_sizes(profile).error().code, Errc::out_of_range);
}

class HostileProfile : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Versions, HostileProfile, testing::Values("as_it_is", "compressed"),
                         [](const auto& c) { return std::string(c.param); });

TEST_P(HostileProfile, SurvivesRandomDamageUnderRightChecksums) {
    const std::string kind = GetParam();
    const Hostile hostile(
        encode_profile(sample_profile(), kind == "compressed" ? compress_zstd : nullptr));
    ASSERT_TRUE(decode_profile(hostile.damaged({})));
    std::mt19937 random(1);
    std::size_t refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<std::pair<std::size_t, char>> changes(1 + random() % 4);
        for (auto& [at, letter] : changes) {
            at = Hostile::header_bytes + random() % (hostile.size() - Hostile::header_bytes);
            letter = static_cast<char>(random() % 4 == 0 ? 0xff : random());
        }
        const Result<Profile> read = decode_profile(hostile.damaged(changes));
        if (!read) {
            EXPECT_THAT(read.error().message, Not(HasSubstr("\n")));
            ++refused;
        } else {
            // whatever was accepted can be walked through
            EXPECT_FALSE(encode_profile(read.value()).empty());
            EXPECT_LE(whole_run(read.value()).sent.num_cells(), 100u);
        }
    }
    EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace commmap
