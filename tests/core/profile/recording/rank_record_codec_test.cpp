// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/rank_record_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>

#include "core/base/flat_buffer.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/recording/mpi_call_generated.hpp"
#include "core/profile/recording/rank_record_generated.h"

namespace commmap {
namespace {

RankRecord sample_record() {
    RankRecord record;
    record.rank = 1;
    record.application_id = "build-id:1";
    record.node = "a";
    record.cpus = "0";
    const std::vector<RankId> reversed = {1, 0};
    record.communicators = {{communicator_key(reversed.data(), 2), reversed}};
    RankRecord::Section& section = record.sections.emplace_back();
    section.collectives = {{.communicator = 0,
                            .op = CollectiveOp::bcast,
                            .in_peer_traffic = false,
                            .root = 1,
                            .calls = 2,
                            .bytes = 11}};
    section.sent = {{1, 0, 3, 0}, {1, 12, 1, std::uint64_t{1} << 40}};
    return record;
}

/// With something in each of its lists.
RankRecord full_record() {
    RankRecord record = sample_record();
    record.node_id = 7;
    record.program = "app";
    record.locality = "NM0:SK0";
    record.finished = false;
    record.phases_lost = true;
    record.wall_s = 2.0;
    record.mpi_s = 0.5;
    record.calls = {{0, 0.25F, 7, 0}, {9, 0.125F, 1, 4096}};
    record.waits = {{0, 0.5F, 3}, {1, 0.25F, 1}};
    record.open_sends = {{1, 2, 3, 4}, {12, 0, 1, 0}};
    record.early_messages = {.looked_at = 3, .early = 3};
    record.sections.push_back(record.sections[0]);
    record.sections[0].fetched = {{1, 1, 7, 210}};
    record.sections[1].label = "solve";
    record.sections[1].entered = 5;
    record.sections[1].wall_s = 1.5;
    record.topologies = {{.communicator = 0, .dims = {2}, .periodic = {1}, .destinations = {}},
                         {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {0}}};
    record.round_collectives = {{.communicator = 0, .op = CollectiveOp::allreduce, .bucket = 1}};
    record.rounds.signatures = {{.rounds = 3,
                                 .seconds = 0.5,
                                 .before_wait_s = 0.25,
                                 .sent = {{0, 2, 3, 300}},
                                 .put = {{0, 0, 2, 8}},
                                 .fetched = {{1, 0, 1, 8}},
                                 .received = {{0, 1}},
                                 .collectives = {{0, 2, 48}},
                                 .meetings = {{0, 1, 1}}},
                                {}};
    record.rounds.signatures[1].rounds = 2;
    record.rounds.signatures[1].sent = {{1, 1, 1, 1}};
    record.rounds.order = {0, 1, 0, 1, 0, RankRounds::other};
    record.rounds.other_rounds = 1;
    record.rounds.successions = {{0, 1, 2}, {1, 0, 1}, {1, RankRounds::other, 1}};
    record.rounds.unclear = true;
    return record;
}

TEST(RankRecordCodec, DropsNoMoreListsThanItMust) {
    RankRecord record = full_record();
    const auto limit_to = [&](std::size_t bytes) {
        limit_lists(record, bytes);
        return encode_rank_record(record).size();
    };
    const std::size_t all = encode_rank_record(record).size();
    const std::size_t members = record.communicators[0].members.size() * sizeof(RankId);

    EXPECT_EQ(limit_to(all - members), all);
    const std::size_t without_waits = limit_to(all - members - 1);
    EXPECT_TRUE(record.waits.empty() && !record.topologies.empty());
    const std::size_t without_topologies = limit_to(without_waits - members - 1);
    EXPECT_TRUE(record.topologies.empty() && !record.rounds.signatures.empty());
    EXPECT_LT(limit_to(without_topologies - members - 1), without_topologies);
    EXPECT_TRUE(record.rounds.signatures.empty() && record.round_collectives.empty());
    EXPECT_TRUE(record.rounds.unclear);
    EXPECT_FALSE(record.sections[0].sent.empty());
}

TEST(RankRecordCodec, ReadsWhatItWrote) {
    const RankRecord written = full_record();

    const Result<RankRecord> read = decode_rank_record(encode_rank_record(written));

    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(encode_rank_record(read.value()), encode_rank_record(written));
    EXPECT_EQ(read.value().sections[0].fetched, written.sections[0].fetched);
    EXPECT_EQ(read.value().communicators[0].members, (std::vector<RankId>{1, 0}));
    EXPECT_EQ(read.value().sections[0].collectives[0].bytes, 11u);
    EXPECT_EQ(read.value().waits, written.waits);
    EXPECT_EQ(read.value().open_sends, written.open_sends);
    EXPECT_EQ(read.value().early_messages, written.early_messages);
    EXPECT_EQ(read.value().topologies[0].dims, written.topologies[0].dims);
    EXPECT_EQ(read.value().topologies[1].destinations, written.topologies[1].destinations);
    EXPECT_EQ(read.value().sections[1].sent, written.sections[1].sent);
    EXPECT_EQ(read.value().sections[1].label, "solve");
    EXPECT_EQ(read.value().sections[1].entered, 5u);
    EXPECT_EQ(read.value().sections[1].wall_s, 1.5);
    EXPECT_EQ(read.value().calls[1].call, 9u);
    EXPECT_EQ(read.value().calls[1].bytes, 4096u);
    EXPECT_EQ(read.value().round_collectives, written.round_collectives);
    EXPECT_EQ(read.value().rounds, written.rounds);
    EXPECT_EQ(read.value().node_id, 7u);
    EXPECT_EQ(read.value().program, "app");
    EXPECT_EQ(read.value().locality, "NM0:SK0");
    EXPECT_FALSE(read.value().finished);
    EXPECT_TRUE(read.value().phases_lost);
}

/// Most of a run's records have to fit into PMIx keys of 8 KiB.
TEST(RankRecordCodec, AddsFewBytesToTheNumbers) {
    RankRecord record = sample_record();
    const std::size_t before = encode_rank_record(record).size();
    EXPECT_LT(before, 400u);
    for (RankId peer = 2; peer < 102; ++peer) record.sections[0].sent.push_back({peer, 0, 1, 8});
    EXPECT_LE(encode_rank_record(record).size(), before + 100 * 21 + most_padding_bytes);
}

TEST(RankRecordCodec, RefusesEveryTruncation) {
    const std::string bytes = encode_rank_record(full_record());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decode_rank_record(std::string_view(bytes).substr(0, length))) << length;
    EXPECT_FALSE(decode_rank_record(bytes + "x"));
}

/// Words of a buffer: its size, where its root is, "CMR1"; the root's first word names its vtable.
TEST(RankRecordCodec, RefusesAnotherSizeRootKindOrVtable) {
    const std::string bytes = encode_rank_record(full_record());
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    const auto reads_with = [&](std::size_t at, std::uint32_t value) {
        std::string changed = bytes;
        std::memcpy(changed.data() + at, &value, sizeof value);
        return decode_rank_record(changed).ok();
    };
    constexpr std::size_t root_at = sizeof(std::uint32_t);
    const std::size_t root = root_at + word(root_at);
    ASSERT_TRUE(reads_with(root, word(root)));

    EXPECT_FALSE(reads_with(0, word(0) - 1));
    EXPECT_FALSE(reads_with(2 * root_at, 0));
    for (const std::uint32_t other : {0U, 1U, 2U, 4U, word(root_at) + 4, 0x7fffffffU, ~0U}) {
        EXPECT_FALSE(reads_with(root_at, other)) << other;
        EXPECT_FALSE(reads_with(root, other)) << other;
    }
    EXPECT_FALSE(decode_rank_record(std::string(4096, '\0')));
}

/// Only sanitizers see a step too far.
TEST(RankRecordCodec, ReadsOrRefusesWhateverAByteIs) {
    const std::string bytes = encode_rank_record(full_record());
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const char flip : {'\x01', '\x04', '\x80', '\xff'}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ flip);
            const auto record = decode_rank_record(changed);
            if (!record) continue;
            EXPECT_TRUE(decode_rank_record(encode_rank_record(record.value()))) << at;
        }
}

TEST(RankRecordCodec, ReadsFromAnyPlace) {
    const std::string behind = "x" + encode_rank_record(sample_record());
    EXPECT_TRUE(decode_rank_record(std::string_view(behind).substr(1)));
}

/// A few bytes would fill the memory.
TEST(RankRecordCodec, RefusesListsThatLieOverEachOther) {
    const auto reads = [](bool shared) {
        flatbuffers::FlatBufferBuilder builder;
        const std::string text(1000, 'x');
        const auto first = builder.CreateString(text);
        const auto second = shared ? first : builder.CreateString(text);
        const std::vector<wire::Section> sections(1);
        const auto stored = builder.CreateVectorOfStructs(sections);
        wire::RankRecordBuilder record(builder);
        record.add_sections(stored);
        record.add_application_id(first);
        record.add_node(second);
        wire::FinishSizePrefixedRankRecordBuffer(builder, record.Finish());
        return decode_rank_record(content_of(builder)).ok();
    };
    EXPECT_TRUE(reads(false));
    EXPECT_FALSE(reads(true));
}

/// A profile made of these would not be read.
TEST(RankRecordCodec, RefusesWhatNoRankReports) {
    const std::vector<std::function<void(RankRecord&)>> damages = {
        [](RankRecord& record) {
            record.calls = {{1, 0.0F, 1}, {0, 0.0F, 1}};
        },
        [](RankRecord& record) {
            record.calls = {{1, 0.0F, 1}, {1, 0.0F, 1}};
        },
        [](RankRecord& record) {
            record.waits = {{1, 0.0F, 1}, {1, 0.0F, 1}};
        },
        [](RankRecord& record) {
            record.waits = {{1, -1.0F, 1}};
        },
        [](RankRecord& record) {
            record.open_sends = {{num_size_buckets, 0, 1, 0}};
        },
        [](RankRecord& record) {
            record.open_sends = {{0, 0, 0, 0}};
        },
        [](RankRecord& record) { record.early_messages = {.looked_at = 1, .early = 2}; },
        [](RankRecord& record) { record.wall_s = 1e300; },
        [](RankRecord& record) { record.sections[0].mpi_s = 1e300; },
        [](RankRecord& record) {
            record.sections[0].mpi_s = 0.6 * RankRecord::longest_s;
            record.sections.push_back(record.sections[0]);
            record.sections[1].label = "more";
        },
        [](RankRecord& record) { record.cpus.assign(max_cpus_letters + 1, '1'); },
        [](RankRecord& record) {
            auto& collectives = record.sections[0].collectives;
            collectives.push_back(collectives[0]);
        },
        [](RankRecord& record) {
            record.topologies = {
                {.communicator = 1, .dims = {2}, .periodic = {1}, .destinations = {}}};
        },
        [](RankRecord& record) {
            record.topologies = {
                {.communicator = 0, .dims = {2, 1}, .periodic = {1}, .destinations = {}}};
        },
        [](RankRecord& record) {
            record.topologies = {
                {.communicator = 0, .dims = {2}, .periodic = {1}, .destinations = {0}}};
        },
        [](RankRecord& record) { record.sections.clear(); },
        [](RankRecord& record) { record.sections[0].slice = RankRecord::most_slices; },
        [](RankRecord& record) { record.sections[0].slice = 256; },
        [](RankRecord& record) { record.sections[0].label.assign(256, 'x'); },
        [](RankRecord& record) { record.sections[0].collectives[0].op = CollectiveOp::count_; },
        [](RankRecord& record) { record.sections[0].collectives[0].communicator = 1; },
        [](RankRecord& record) { record.sections[0].sent[0].bucket = 256; },
        [](RankRecord& record) {
            record.calls = {{num_mpi_calls, 0.0F, 1}};
        },
        [](RankRecord& record) { record.rounds.signatures.resize(65); },
    };
    ASSERT_TRUE(decode_rank_record(encode_rank_record(sample_record())));
    for (std::size_t i = 0; i < damages.size(); ++i) {
        RankRecord record = sample_record();
        damages[i](record);
        EXPECT_FALSE(decode_rank_record(encode_rank_record(record))) << i;
    }
}

}  // namespace
}  // namespace commmap
