// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What a rank leaves in its memory, and what a program might leave there instead.
#include "pmix_hooks/output/record_reader.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>

#include "core/base/frames.hpp"
#include "core/base/handle.hpp"
#include "core/profile/recording/rank_record_codec.hpp"
#include "pmix_hooks/counting/comm_map.hpp"
#include "pmix_hooks/counting/topology_entry.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/output/record_memory.hpp"
#include "pmix_hooks/process/clock.hpp"

namespace commmap::hooks {
namespace {

constexpr auto bucket_of_100 = static_cast<std::uint8_t>(size_bucket(100));

class RecordReader : public testing::Test {
protected:
    RecordReader() {
        EXPECT_EQ(::ftruncate(file_.get(), Arena::max_bytes), 0);
        EXPECT_TRUE(arena_.open(file_.get()));
        head_ = arena_.make<RecordHead>();
        // of two threads, one of which sends to rank 2 only
        first_ = counters();
        second_ = counters();
        first_->sent.add(2, 100);
        second_->sent.add(2, 100);
        second_->fetched.add(0, 8);
        second_->next = first_;
        head_->threads.store(second_);
        group_ = arena_.make<RankGroup>();
        RankId* members = arena_.make_array<RankId>(2);
        members[0] = 3;
        members[1] = 1;
        group_->members = members;
        group_->num_members = 2;
        count_ = arena_.make<CollectiveCount>();
        count_->op = CollectiveOp::bcast;
        count_->root = 1;
        count_->add(70);
        group_->collectives[5].store(count_);
        head_->rank = 3;
        head_->size = 4;
        head_->base = arena_.base();
        head_->groups.store(group_);
        grid_ = topology(2, {2, 1, 0, 1});
        graph_ = topology(0, {3, 0});
        graph_->next = grid_;
        head_->topologies.store(graph_);
        head_->start_s = now_s();
        head_->start_ticks = ticks();
        head_->layout = record_layout();
    }

    ThreadCounters* counters() {
        auto* made = arena_.make<ThreadCounters>();
        EXPECT_TRUE(made->sent.open(arena_, 4, false) && made->fetched.open(arena_, 4, false));
        return made;
    }

    TopologyEntry* topology(std::uint32_t num_dims, const std::vector<std::uint32_t>& numbers) {
        auto* made = arena_.make<TopologyEntry>();
        auto* copy = arena_.make_array<std::uint32_t>(numbers.size());
        std::copy(numbers.begin(), numbers.end(), copy);
        made->num_dims = num_dims;
        made->numbers = copy;
        made->num_numbers = static_cast<std::uint32_t>(numbers.size());
        return made;
    }

    FileDescriptor file_{::memfd_create("record_reader_test", MFD_CLOEXEC)};
    Arena arena_;
    RecordHead* head_ = nullptr;
    ThreadCounters* first_ = nullptr;
    ThreadCounters* second_ = nullptr;
    RankGroup* group_ = nullptr;
    CollectiveCount* count_ = nullptr;
    TopologyEntry* grid_ = nullptr;   ///< 2 x 1, the second side periodic
    TopologyEntry* graph_ = nullptr;  ///< made after it: to ranks 3 and 0
};

TEST_F(RecordReader, ReadsWhatARunningRankHasRecorded) {
    const auto read = read_record(file_.get());

    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(read.value());
    const RankRecord& record = read.value()->records.at(0);
    EXPECT_EQ(read.value()->num_ranks, 4u);
    EXPECT_EQ(record.rank, 3u);
    EXPECT_FALSE(record.finished);
    EXPECT_GE(record.wall_s, 0.0);
    ASSERT_EQ(record.sections[0].sent.size(), 1u);
    EXPECT_EQ(record.sections[0].sent[0].peer, 2u);
    EXPECT_EQ(record.sections[0].sent[0].bucket, size_bucket(100));
    EXPECT_EQ(record.sections[0].sent[0].count, 2u);
    EXPECT_EQ(record.sections[0].sent[0].bytes, 200u);
    ASSERT_EQ(record.sections[0].fetched.size(), 1u);
    EXPECT_EQ(record.sections[0].fetched[0].peer, 0u);
    ASSERT_EQ(record.communicators.size(), 1u);
    EXPECT_EQ(record.communicators[0].members, (std::vector<RankId>{3, 1}));
    ASSERT_EQ(record.sections[0].collectives.size(), 1u);
    EXPECT_EQ(record.sections[0].collectives[0].bytes, 70u);
    ASSERT_EQ(record.topologies.size(), 2u);
    EXPECT_EQ(record.topologies[0].dims, (std::vector<std::uint32_t>{2, 1}));
    EXPECT_EQ(record.topologies[0].periodic, (std::vector<std::uint8_t>{0, 1}));
    EXPECT_EQ(record.topologies[1].destinations, (std::vector<RankId>{3, 0}));
}

/// Of rank 0, which has the records of all.
class GatheredRecord : public RecordReader {
protected:
    GatheredRecord() {
        head_->state.store(RecordState::gathered);
        gather(records({2, 0, 1, 3}));
    }
    void gather(const std::string& frames) {
        char* const copy = arena_.make_array<char>(frames.size());
        std::copy(frames.begin(), frames.end(), copy);
        head_->gathered = copy;
        head_->gathered_bytes = frames.size();
    }
    static std::string records(const std::vector<RankId>& ranks) {
        std::string frames;
        for (const RankId rank : ranks) {
            RankRecord record;
            record.rank = rank;
            record.sections.emplace_back();
            append_frame(frames, encode_rank_record(record));
        }
        return frames;
    }
    std::vector<RankId> read() {
        std::vector<RankId> ranks;
        const auto read = read_record(file_.get());
        if (!read || !read.value()) return ranks;
        EXPECT_TRUE(read.value()->gathered);
        for (const RankRecord& record : read.value()->records) ranks.push_back(record.rank);
        return ranks;
    }
};

TEST_F(GatheredRecord, HasTheRecordOfEachRank) {
    EXPECT_EQ(read(), (std::vector<RankId>{2, 0, 1, 3}));
}

TEST_F(GatheredRecord, LacksTheRankThatHadNone) {
    std::string frames = records({0, 1});
    append_frame(frames, "");
    gather(frames + records({3}));
    EXPECT_EQ(read(), (std::vector<RankId>{0, 1, 3}));
}

TEST_F(GatheredRecord, IsRefusedWhereItIsDamaged) {
    const std::string good = records({0, 1, 2, 3});
    const auto refused = [&](const std::string& frames) {
        gather(frames);
        const auto read = read_record(file_.get());
        return !read && read.error().code == Errc::corrupt;
    };
    EXPECT_TRUE(refused(good.substr(0, good.size() - 1)));
    EXPECT_TRUE(refused(records({0, 1, 1, 3}))) << "twice";
    EXPECT_TRUE(refused(records({0, 1, 2, 4}))) << "no rank of the run";
    std::string nonsense = good;
    append_frame(nonsense, "nonsense");
    EXPECT_TRUE(refused(nonsense));
    EXPECT_FALSE(refused(good));
    for (const std::uint64_t bytes :
         {std::uint64_t{Arena::max_bytes}, UINT64_MAX, UINT64_MAX - 4096}) {
        head_->gathered_bytes = bytes;
        EXPECT_FALSE(read_record(file_.get()).ok());
    }
    head_->gathered_bytes = good.size();
    head_->gathered = reinterpret_cast<const char*>(head_) - 1;
    EXPECT_FALSE(read_record(file_.get()).ok());
    head_->gathered = nullptr;
    EXPECT_FALSE(read_record(file_.get()).ok());
}

/// Of a rank that is in its third round.
class RecordedRounds : public RecordReader {
protected:
    RecordedRounds() {
        group_->number = grid_->group = graph_->group = 7;
        signatures_.open(arena_, head_->rounds);
        for (int i = 0; i < 3; ++i) {
            const bool last = i == 2;
            last_call = {1000, 1010};
            const std::uint64_t bytes = last ? 5000 : 100;
            round_.message(RoundAct::sent, 2, bytes, size_bucket(bytes));
            round_.collective(count_->number, 70);
            round_.meeting(7);
            last_call = {1100, 1300};
            round_.act(round_key(RoundAct::received, 0));
            round_.act(round_key(RoundAct::completed, 7));
            if (!last) round_.close();
        }
        head_->start_ticks = 0;
        head_->end_ticks = 4'000;
        head_->end_s = head_->start_s + 4.0;  // a tick is a millisecond
    }
    RankRecord read() {
        const auto read = read_record(file_.get());
        EXPECT_TRUE(read) << read.error().message;
        return read && read.value() ? read.value()->records.at(0) : RankRecord();
    }

    SignatureTable signatures_;
    OpenRound round_{signatures_, false};
};

TEST_F(RecordedRounds, AreThoseThatHaveEnded) {
    const RankRecord record = read();

    ASSERT_EQ(record.rounds.signatures.size(), 1u);
    const Signature& signature = record.rounds.signatures[0];
    EXPECT_EQ(signature.rounds, 2u);
    EXPECT_NEAR(signature.seconds, 2 * 0.3, 1e-9);
    EXPECT_NEAR(signature.before_wait_s, 2 * 0.1, 1e-9);
    EXPECT_EQ(signature.sent, (std::vector<TrafficCell>{{2, bucket_of_100, 2, 200}}));
    EXPECT_EQ(signature.received, (std::vector<Signature::Received>{{0, 1}}));
    EXPECT_EQ(signature.collectives, (std::vector<Signature::Begun>{{0, 2, 140}}));
    EXPECT_EQ(signature.meetings, (std::vector<Signature::Meeting>{{0, 1, 1}}));
    ASSERT_EQ(record.round_collectives.size(), 1u);
    EXPECT_EQ(record.round_collectives[0].op, CollectiveOp::bcast);
    EXPECT_EQ(record.round_collectives[0].bucket, size_bucket(70));
    EXPECT_EQ(record.round_collectives[0].root, 1u);
    EXPECT_EQ(record.rounds.order, (std::vector<std::uint8_t>{0, 0}));
    EXPECT_EQ(record.rounds.successions, (std::vector<RankRounds::Succession>{{0, 0, 1}}));
    EXPECT_TRUE(decode_rank_record(encode_rank_record(record)).value().rounds == record.rounds);
}

/// Another bucket is another signature, and it has a place of its own.
TEST_F(RecordedRounds, OtherSizesAreOtherSignatures) {
    round_.close();
    round_.finish();

    const RankRecord record = read();

    ASSERT_EQ(record.rounds.signatures.size(), 2u);
    EXPECT_EQ(
        record.rounds.signatures[1].sent,
        (std::vector<TrafficCell>{{2, static_cast<std::uint32_t>(size_bucket(5000)), 1, 5000}}));
    EXPECT_EQ(record.rounds.order, (std::vector<std::uint8_t>{0, 0, 1}));
}

/// Else the parts of many nodes would take more memory than who merges them may have.
TEST_F(RecordedRounds, AreDroppedWhereAllRanksWouldHaveTooMuch) {
    EXPECT_FALSE(read().topologies.empty());
    head_->size = 1U << 24U;

    const RankRecord record = read();

    EXPECT_TRUE(record.rounds.unclear);
    EXPECT_TRUE(record.rounds.signatures.empty());
    EXPECT_TRUE(record.topologies.empty());
    EXPECT_EQ(record.sections[0].sent.size(), 1u);
}

TEST_F(RecordedRounds, AreUnclearWhereTheyAreDamaged) {
    SignatureRecord& signature = head_->rounds.signatures[0];
    const SignatureRecord& constant = signature;
    const std::uint32_t num_cells = constant.num_cells.load();
    SignatureCell* const cells = constant.cells.load();
    const std::uint64_t key = cells[0].key.load();
    struct Case {
        const char* what;
        std::function<void()> damage;
    };
    for (const Case& c : {
             Case{"cells outside", [&] { signature.cells = nullptr; }},
             Case{"too many cells", [&] { signature.num_cells = UINT32_MAX; }},
             Case{"an act that is none", [&] { cells[0].key = UINT64_MAX; }},
             Case{"a peer out of range", [&] { cells[0].key = round_key(RoundAct::sent, 4); }},
             Case{"a group that is none", [&] { cells[0].key = round_key(RoundAct::begun, 8); }},
             Case{"too many signatures", [&] { head_->rounds.num_signatures.store(65); }},
             Case{"too many rounds", [&] { head_->rounds.num_listed.store(UINT32_MAX); }},
             Case{"an order of nothing", [&] { head_->rounds.order[1] = 63; }},
         }) {
        c.damage();
        const RankRecord record = read();
        EXPECT_TRUE(record.rounds.unclear) << c.what;
        EXPECT_TRUE(record.rounds.signatures.empty()) << c.what;
        EXPECT_EQ(record.sections[0].sent.size(), 1u) << c.what;
        signature.cells = cells;
        signature.num_cells = num_cells;
        cells[0].key = key;
        head_->rounds.num_signatures.store(1);
        head_->rounds.num_listed.store(2);
        head_->rounds.order[1] = 0;
    }
    EXPECT_FALSE(read().rounds.unclear);
}

/// What the log has, its sections have; the rest is the open section's.
TEST_F(RecordReader, ReadsPhases) {
    PhaseLog& log = head_->phases;
    log.begin_slices();
    log.add(arena_, PhaseEntry::Kind::sent, 2, bucket_of_100, 1, 100);
    log.open_section(PhaseLog::slice_flag | 3);

    const auto read = read_record(file_.get());

    ASSERT_TRUE(read) << read.error().message;
    const RankRecord& record = read.value()->records.at(0);
    EXPECT_EQ(record.slice_s, PhaseLog::first_slice_s);
    EXPECT_FALSE(record.phases_lost);
    ASSERT_EQ(record.sections.size(), 2u);
    EXPECT_EQ(record.sections[0].slice, 0u);
    EXPECT_EQ(record.sections[0].sent, (std::vector<TrafficCell>{{2, bucket_of_100, 1, 100}}));
    EXPECT_EQ(record.sections[1].slice, 3u);
    EXPECT_EQ(record.sections[1].sent, (std::vector<TrafficCell>{{2, bucket_of_100, 1, 100}}));
    EXPECT_EQ(record.sections[1].fetched.size(), 1u);
    EXPECT_EQ(record.sections[1].collectives.size(), 1u);
}

/// A boundary came between the count of a message and its bytes: they are not lost.
TEST_F(RecordReader, GivesLateBytesToTheirMessage) {
    PhaseLog& log = head_->phases;
    log.begin_slices();
    log.add(arena_, PhaseEntry::Kind::sent, 2, bucket_of_100, 2, 130);
    log.add(arena_, PhaseEntry::Kind::collective, 0, 0, 1, 30);
    log.open_section(PhaseLog::slice_flag | 1);

    const auto read = read_record(file_.get());

    ASSERT_TRUE(read) << read.error().message;
    const RankRecord& record = read.value()->records.at(0);
    EXPECT_EQ(record.sections[0].sent, (std::vector<TrafficCell>{{2, bucket_of_100, 2, 200}}));
    EXPECT_EQ(record.sections[0].collectives[0].bytes, 70u);
    EXPECT_EQ(record.sections[1].sent.size(), 0u);
}

/// Phases are lost then, and not what was counted.
TEST_F(RecordReader, KeepsTheSumsWhereTheLogMakesNoSense) {
    constexpr std::uint32_t slice_64 = PhaseLog::slice_flag | 64;
    const auto cases = {
        PhaseEntry{0, 2, PhaseEntry::Kind::sent, bucket_of_100, 1, 100},  // a label that is none
        PhaseEntry{slice_64, 2, PhaseEntry::Kind::sent, bucket_of_100, 1, 100},
        PhaseEntry{0x80000000, 4, PhaseEntry::Kind::sent, bucket_of_100, 1, 100},  // no such peer
        PhaseEntry{0x80000000, 2, PhaseEntry::Kind::sent, 13, 1, 100},
        PhaseEntry{0x80000000, 2, PhaseEntry::Kind::sent, bucket_of_100, 3, 100},  // more than all
        PhaseEntry{0x80000000, 2, PhaseEntry::Kind::sent, bucket_of_100, 1, 300},
        PhaseEntry{0x80000000, 1, PhaseEntry::Kind::fetched, 0, 1, 8},
        PhaseEntry{0x80000000, 1, PhaseEntry::Kind::collective, 0, 1, 8},
        PhaseEntry{0x80000000, 0, PhaseEntry::Kind::collective, 0, 2, 8},
        PhaseEntry{0x80000000, 0, PhaseEntry::Kind::mpi, 0, 0, UINT64_MAX},
        PhaseEntry{0x80000000, 2, PhaseEntry::Kind::sent, bucket_of_100, 0, 0},
        PhaseEntry{0x80000000, 0, PhaseEntry::Kind::wall, 0, 0, UINT64_MAX},
        PhaseEntry{0x80000000, 0, static_cast<PhaseEntry::Kind>(9), 0, 1, 1},
    };
    for (const PhaseEntry& entry : cases) {
        auto* const log = new (&head_->phases) PhaseLog;
        log->begin_slices();
        log->add(arena_, entry.kind, entry.what, entry.bucket, entry.count, entry.amount);
        const_cast<PhaseEntry*>(log->entries())->section = entry.section;

        const auto read = read_record(file_.get());

        ASSERT_TRUE(read) << read.error().message;
        const RankRecord& record = read.value()->records.at(0);
        EXPECT_TRUE(record.phases_lost) << entry.section << ' ' << entry.what;
        ASSERT_EQ(record.sections.size(), 1u);
        EXPECT_EQ(record.sections[0].sent, (std::vector<TrafficCell>{{2, bucket_of_100, 2, 200}}));
    }
}

/// Where PhaseLog has what: a program that writes into its memory asks nobody.
struct LogHead {
    PhaseEntry* entries;
    std::uint32_t size;
    std::uint32_t capacity;
    std::uint32_t open;
    std::uint32_t num_labels;
    double slice_s;
    std::uint8_t labelled;
    std::uint8_t lost;
    std::uint8_t moving;
};

TEST_F(RecordReader, KeepsTheSumsWhereTheLogsHeadMakesNoSense) {
    constexpr std::uint32_t far = 900000;
    const auto label = [](LogHead& log, std::uint32_t labels) {
        log.labelled = 1;
        log.num_labels = labels;
        log.open = far;
        log.size = 0;
    };
    struct Case {
        const char* what;
        std::function<void(LogHead&)> damage;
    };
    const auto cases = {
        Case{"address", [](LogHead& log) { log.entries = reinterpret_cast<PhaseEntry*>(16); }},
        Case{"size", [](LogHead& log) { log.size = PhaseLog::most_entries + 1; }},
        Case{"more labels than can be", [&](LogHead& log) { label(log, far + 1); }},
        Case{"a label that is none is open", [&](LogHead& log) { label(log, 1); }},
        Case{"slices of less than nothing", [](LogHead& log) { log.slice_s = -1.0; }},
        Case{"slices without an end", [](LogHead& log) { log.slice_s = 1e300; }},
        Case{"slices of no length", [](LogHead& log) { log.slice_s = __builtin_nan(""); }},
        Case{"lost", [](LogHead& log) { log.lost = 2; }},
        Case{"killed while entries were moved", [](LogHead& log) { log.moving = 1; }},
    };
    for (const Case& c : cases) {
        auto* const log = new (&head_->phases) PhaseLog;
        log->begin_slices();
        log->add(arena_, PhaseEntry::Kind::sent, 2, bucket_of_100, 1, 100);
        auto* const there = reinterpret_cast<LogHead*>(log);
        ASSERT_EQ(there->size, 1U);
        ASSERT_EQ(there->slice_s, PhaseLog::first_slice_s);
        c.damage(*there);

        const auto read = read_record(file_.get());

        ASSERT_TRUE(read) << c.what << ": " << read.error().message;
        const RankRecord& record = read.value()->records.at(0);
        EXPECT_TRUE(record.phases_lost) << c.what;
        ASSERT_EQ(record.sections.size(), 1U) << c.what;
        EXPECT_EQ(record.sections[0].sent, (std::vector<TrafficCell>{{2, bucket_of_100, 2, 200}}));
        EXPECT_TRUE(decode_rank_record(encode_rank_record(record))) << c.what;
    }
}

/// The program overwrote its NUL.
TEST_F(RecordReader, ALabelWithoutAnEndIsCut) {
    PhaseLog& log = head_->phases;
    log.drop_slices();
    const std::uint32_t number = log.label_number("solve");
    log.open_section(number);
    std::memset(const_cast<char*>(log.label(number)), 'x', PhaseLog::label_bytes);

    const auto read = read_record(file_.get());

    ASSERT_TRUE(read) << read.error().message;
    const RankRecord& record = read.value()->records.at(0);
    EXPECT_EQ(record.sections.back().label, std::string(RankRecord::most_letters, 'x'));
    EXPECT_TRUE(decode_rank_record(encode_rank_record(record)));
}

/// Of two threads together more messages than can be counted: not none.
TEST_F(RecordReader, CountsToTheEndAndNoFurther) {
    for (ThreadCounters* thread : {first_, second_})
        thread->sent.first()->buckets[bucket_of_100].count.add((std::uint64_t{1} << 63) - 1);

    const auto read = read_record(file_.get());

    ASSERT_TRUE(read) << read.error().message;
    const RankRecord& record = read.value()->records.at(0);
    EXPECT_EQ(record.sections[0].sent,
              (std::vector<TrafficCell>{{2, bucket_of_100, UINT64_MAX, 200}}));
    EXPECT_TRUE(decode_rank_record(encode_rank_record(record)));
}

TEST_F(RecordReader, LeavesAloneWhatSomebodyHas) {
    for (const RecordState state :
         {RecordState::nothing, RecordState::handed_over, RecordState::given_up}) {
        head_->state.store(state);
        const auto read = read_record(file_.get());
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_FALSE(read.value());
    }
    head_->state.store(RecordState::running);
    ASSERT_TRUE(read_record(file_.get()).value());
    head_->layout = 0;  // killed in MPI_Init
    EXPECT_FALSE(read_record(file_.get()).value());
    const FileDescriptor unused(::memfd_create("unused", MFD_CLOEXEC));
    const auto read = read_record(unused.get());
    ASSERT_TRUE(read);
    EXPECT_FALSE(read.value());
}

TEST_F(RecordReader, OneProcessHasTheMemory) {
    Arena other;
    EXPECT_FALSE(other.open(file_.get()));
    EXPECT_EQ(other.base(), nullptr);
    EXPECT_NE(other.allocate(100), nullptr);
    EXPECT_TRUE(read_record(file_.get()).value());
}

TEST_F(RecordReader, RefusesAnotherVersions) {
    head_->layout += 1;
    EXPECT_EQ(read_record(file_.get()).error().code, Errc::not_supported);
    head_->layout -= 1;
    head_->magic ^= 1;
    EXPECT_EQ(read_record(file_.get()).error().code, Errc::not_supported);
}

TEST_F(RecordReader, RefusesEveryAddressThatIsNotInside) {
    const auto nowhere = [](auto* pointer, std::ptrdiff_t bytes) {
        return reinterpret_cast<decltype(pointer)>(reinterpret_cast<std::uintptr_t>(pointer) +
                                                   static_cast<std::uintptr_t>(bytes));
    };
    constexpr auto region = static_cast<std::ptrdiff_t>(Arena::max_bytes);
    PeerTable::Peer* const peer = first_->sent.first();
    PeerTable::Peer outside{};
    auto* const members = const_cast<RankId*>(group_->members);
    auto* const sides = const_cast<std::uint32_t*>(grid_->numbers);
    const std::uint32_t* const neighbours = graph_->numbers;
    const double start_s = head_->start_s;
    auto* const empty = arena_.make<RankGroup>();
    empty->next = empty;
    struct Case {
        const char* what;
        std::function<void()> damage;
        std::function<void()> repair;
    };
    const auto cases = {
        Case{"thread before", [&] { head_->threads.store(nowhere(second_, -region)); },
             [&] { head_->threads.store(second_); }},
        Case{"thread across the end",
             [&] {
                 head_->threads.store(nowhere(
                     const_cast<ThreadCounters*>(static_cast<const ThreadCounters*>(head_->base)),
                     region - 64));
             },
             [&] { head_->threads.store(second_); }},
        Case{"list of threads without an end", [&] { first_->next = second_; },
             [&] { first_->next = nullptr; }},
        Case{"beginning", [&] { head_->start_s = -1e300; }, [&] { head_->start_s = start_s; }},
        Case{"more ranks than there can be", [&] { head_->size = 0xffffffff; },
             [&] { head_->size = 4; }},
        Case{"no ranks", [&] { head_->size = 0; }, [&] { head_->size = 4; }},
        Case{"rank that is none", [&] { head_->rank = 4; }, [&] { head_->rank = 3; }},
        Case{"peer", [&] { peer->next = nowhere(peer, region); }, [&] { peer->next = nullptr; }},
        Case{"peer across the end",
             [&] {
                 peer->next = nowhere(
                     const_cast<PeerTable::Peer*>(static_cast<const PeerTable::Peer*>(head_->base)),
                     region - 64);
             },
             [&] { peer->next = nullptr; }},
        Case{"peer elsewhere", [&] { peer->next = &outside; }, [&] { peer->next = nullptr; }},
        Case{"peer not aligned", [&] { peer->next = nowhere(peer, 1); },
             [&] { peer->next = nullptr; }},
        Case{"list of peers without an end", [&] { peer->next = peer; },
             [&] { peer->next = nullptr; }},
        Case{"peer that is none", [&] { peer->rank = 4; }, [&] { peer->rank = 2; }},
        Case{"group", [&] { head_->groups.store(nowhere(group_, region)); },
             [&] { head_->groups.store(group_); }},
        Case{"list of groups without an end", [&] { group_->next = group_; },
             [&] { group_->next = nullptr; }},
        Case{"list of empty groups without an end", [&] { head_->groups.store(empty); },
             [&] { head_->groups.store(group_); }},
        Case{"no members", [&] { group_->num_members = 0; }, [&] { group_->num_members = 2; }},
        Case{"members", [&] { group_->members = nowhere(members, region); },
             [&] { group_->members = members; }},
        Case{"member that is none", [&] { members[0] = 4; }, [&] { members[0] = 3; }},
        Case{"member twice", [&] { members[0] = 1; }, [&] { members[0] = 3; }},
        Case{"root that is none", [&] { count_->root = 4; }, [&] { count_->root = 1; }},
        Case{"root that is no member", [&] { count_->root = 0; }, [&] { count_->root = 1; }},
        Case{"too many members", [&] { group_->num_members = 0xffffffff; },
             [&] { group_->num_members = 2; }},
        Case{"count", [&] { group_->collectives[5].store(nowhere(count_, 2 * region)); },
             [&] { group_->collectives[5].store(count_); }},
        Case{"list of counts without an end", [&] { count_->next = count_; },
             [&] { count_->next = nullptr; }},
        Case{"topology", [&] { head_->topologies.store(nowhere(graph_, region)); },
             [&] { head_->topologies.store(graph_); }},
        Case{"list of topologies without an end", [&] { grid_->next = graph_; },
             [&] { grid_->next = nullptr; }},
        Case{"topology of a group that is none", [&] { grid_->group = 1; },
             [&] { grid_->group = 0; }},
        Case{"sides", [&] { grid_->numbers = nowhere(sides, region); },
             [&] { grid_->numbers = sides; }},
        Case{"sides without as many again", [&] { grid_->num_dims = 3; },
             [&] { grid_->num_dims = 2; }},
        Case{"too many sides",
             [&] {
                 grid_->num_dims = 33;
                 grid_->num_numbers = 66;
             },
             [&] {
                 grid_->num_dims = 2;
                 grid_->num_numbers = 4;
             }},
        Case{"too many neighbours", [&] { graph_->num_numbers = 0xffffffff; },
             [&] { graph_->num_numbers = 2; }},
        Case{"neighbour that is none",
             [&] {
                 sides[0] = 4;
                 graph_->numbers = sides;
             },
             [&] {
                 sides[0] = 2;
                 graph_->numbers = neighbours;
             }},
        Case{"size bucket", [&] { count_->bucket = 200; }, [&] { count_->bucket = 0; }},
        Case{"operation", [&] { count_->op = static_cast<CollectiveOp>(200); },
             [&] { count_->op = CollectiveOp::bcast; }},
    };
    for (const Case& c : cases) {
        c.damage();
        const auto read = read_record(file_.get());
        ASSERT_FALSE(read) << c.what;
        EXPECT_EQ(read.error().code, Errc::corrupt) << c.what;
        c.repair();
        ASSERT_TRUE(read_record(file_.get())) << c.what;
    }
}

}  // namespace
}  // namespace commmap::hooks
