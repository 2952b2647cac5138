// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Writes the files of tests/fuzz/corpus that are named taken-*: what the project's own writers
// write; and records that made the project fail once. usage: write_fuzz_seeds DIRECTORY. Run it
// again when a layout has changed (the tests fuzz.* say so).
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/frames.hpp"
#include "core/base/handle.hpp"
#include "core/cpus/node_cpus.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/recording/rank_record_codec.hpp"
#include "core/profile/sample_profile.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "fuzz/record_image.hpp"
#include "pmix_hooks/counting/topology_entry.hpp"
#include "pmix_hooks/memory/arena.hpp"
#include "pmix_hooks/rounds/open_round.hpp"

namespace commmap::fuzz {
namespace {

std::string directory;
bool all_written = true;

void write(const std::string& name, std::string_view content) {
    const std::string path = directory + "/" + name;
    Status status = make_directories(path.substr(0, path.rfind('/')), 0755);
    if (status) status = write_file_atomically(path, content, 0644, Sync::no);
    if (status) return;
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    all_written = false;
}

void write_profiles() {
    Profile profile = sample_profile();
    write("profile/taken-as-it-is", encode_profile(profile));
    profile.phases.push_back(profile.phases[0]);
    profile.phases[1].label = "MPI_Pcontrol 2";
    profile.phases[1].times.clear();
    profile.complete = false;
    profile.missing = {1};
    write("profile/taken-partial", encode_profile(profile));
    // long enough for each kind of section to be compressed
    for (int i = 0; i < 12; ++i) {
        profile.communicators.push_back({0, 1});
        profile.phases[0].collectives.push_back(profile.phases[0].collectives[0]);
        profile.ranks[1].cpus += ",17-4000000";
    }
    write("profile/taken-compressed", encode_profile(profile, compress_zstd));
}

RankRecord record_of(RankId rank, RankId num_ranks) {
    RankRecord record;
    record.rank = rank;
    record.node_id = rank / 2;
    record.application_id = "build-id:1";
    record.node = "n" + std::to_string(rank / 2);
    record.cpus = "0-3";
    record.wall_s = 2.0;
    record.mpi_s = 0.5;
    record.calls = {{0, 0.25F, 7, 0}, {9, 0.125F, 1, 4096}};
    record.waits = {{(rank + 1) % num_ranks, 0.25F, 3}};
    record.open_sends = {{1, 2, 7, 9}};
    record.early_messages = {.looked_at = 5, .early = 2};
    std::vector<RankId> world;
    for (RankId i = 0; i < num_ranks; ++i) world.push_back(i);
    record.communicators = {{communicator_key(world.data(), world.size()), {}}};
    if (rank == 0) record.communicators[0].members = world;
    const RankId peer = (rank + 1) % num_ranks;
    record.topologies = {
        {.communicator = 0, .dims = {num_ranks}, .periodic = {1}, .destinations = {}},
        {.communicator = 0, .dims = {}, .periodic = {}, .destinations = {peer}}};
    record.round_collectives = {{.communicator = 0, .op = CollectiveOp::allreduce, .bucket = 1}};
    record.rounds.signatures = {{.rounds = 3,
                                 .seconds = 0.5,
                                 .before_wait_s = 0.25,
                                 .sent = {{peer, 2, 3, 300}},
                                 .put = {{peer, 0, 2, 8}},
                                 .fetched = {{rank, 0, 1, 8}},
                                 .received = {{peer, 1}},
                                 .collectives = {},
                                 .meetings = {}},
                                {.rounds = 2,
                                 .seconds = 0.125,
                                 .before_wait_s = 0.0,
                                 .sent = {},
                                 .put = {},
                                 .fetched = {},
                                 .received = {},
                                 .collectives = {{0, 2, 48}},
                                 .meetings = {{0, 1, 1}}}};
    record.rounds.order = {0, 1, 0, 1, 0, RankRounds::other};
    record.rounds.other_rounds = 1;
    record.rounds.successions = {{0, 1, 2}, {1, 0, 2}};
    return record;
}

RankRecord::Section section_of(const RankRecord& record, RankId num_ranks, std::uint64_t bytes) {
    RankRecord::Section section;
    const RankId peer = (record.rank + 1) % num_ranks;
    section.mpi_s = 0.25;
    section.sent = {{peer, static_cast<std::uint32_t>(size_bucket(bytes)), 4, 4 * bytes}};
    section.fetched = {{record.rank, 0, 1, 8}};
    section.collectives = {{0, CollectiveOp::bcast, false, 0, 1, bytes},
                           {0, CollectiveOp::allreduce, false, no_id, 3, 24},
                           {0, CollectiveOp::allreduce, false, no_id, 2, 3000, 4}};
    return section;
}

RankRecord sliced(RankId rank, RankId num_ranks) {
    RankRecord record = record_of(rank, num_ranks);
    record.slice_s = 0.125;
    for (const std::uint32_t slice : {0U, 1U, 2U, 9U, 10U}) {
        record.sections.push_back(section_of(record, num_ranks, slice < 5 ? 10 : 100000));
        record.sections.back().slice = slice;
    }
    return record;
}

RankRecord labelled(RankId rank, RankId num_ranks) {
    RankRecord record = record_of(rank, num_ranks);
    for (const char* label : {"", "solve", "write"}) {
        record.sections.push_back(section_of(record, num_ranks, 1000));
        record.sections.back().label = label;
        record.sections.back().entered = 2;
        record.sections.back().wall_s = 0.5;
    }
    return record;
}

void write_parts(const std::string& name, RankRecord (*make)(RankId, RankId)) {
    constexpr std::uint32_t ranks = 3;
    std::string input(reinterpret_cast<const char*>(&ranks), sizeof ranks);
    for (RankId rank = 0; rank < ranks; ++rank)
        input += (rank > 0 ? "\xffRECORD" : "") + encode_rank_record(make(rank, ranks));
    write(name, input);
}

void write_reports() {
    write("rank_record/taken-sliced", encode_rank_record(sliced(0, 2)));
    write("rank_record/taken-labelled", encode_rank_record(labelled(0, 2)));
    RankRecord twice = sliced(0, 2);
    twice.calls[1].call = twice.calls[0].call;
    write("rank_record/calls-out-of-order", encode_rank_record(twice));
    RankRecord long_together = labelled(0, 2);
    for (auto& section : long_together.sections) section.wall_s = 0.6 * RankRecord::longest_s;
    write("rank_record/limited-and-not-read", encode_rank_record(long_together));
    RankRecord long_slices = sliced(0, 2);
    long_slices.slice_s = 0.6 * RankRecord::longest_slice_s;
    write("rank_record/slices-too-long", encode_rank_record(long_slices));
    NodePart part{"/x/app", "Some MPI", 3, {}};
    for (RankId rank = 0; rank < part.num_ranks; ++rank) part.records.push_back(sliced(rank, 3));
    constexpr std::size_t header_bytes = 24;
    write("part/taken-whole", encode_node_part(part).substr(header_bytes));
    write_parts("part/taken-sliced", sliced);
    write_parts("part/taken-labelled", labelled);
}

/// A rank's memory, as it fills it.
class Record {
public:
    Record() {
        all_written = all_written && ::ftruncate(file_.get(), hooks::Arena::max_bytes) == 0 &&
                      arena_.open(file_.get());
        head_ = arena_.make<hooks::RecordHead>();
        head_->rank = 1;
        head_->size = 4;
        head_->start_s = 1000.0;
        head_->end_s = 1002.0;
        head_->start_ticks = 5'000'000'000;
        head_->end_ticks = 9'000'000'000;
        head_->location.node_id = 0;
        hooks::ThreadCounters* counters = add_thread();
        hooks::ThreadCounters* another = add_thread();
        for (const RankId peer : {0U, 2U, 3U}) {
            counters->sent.add(peer, 100);
            counters->sent.add(peer, 100000);
        }
        another->sent.add(2, 100);
        another->sent.add_wait(2, 100'000'000);
        another->open_sends[1].sends.add(3);
        another->open_sends[1].others.add(2);
        another->receives_looked_at.add(4);
        another->early_receives.add(1);
        another->fetched.add(0, 8);
        counters->calls[3].count.add(6);
        counters->calls[3].ticks.add(1'000'000'000);
        RankId* members = arena_.make_array<RankId>(4);
        for (RankId rank = 0; rank < 4; ++rank) members[rank] = rank;
        add_collectives(members, 4);
        add_collectives(members + 1, 2);
        add_topology(2, {2, 2, 0, 1});
        add_topology(0, {0, 3});
        signatures_.open(arena_, head_->rounds);
        hooks::OpenRound round(signatures_, false);
        for (int i = 0; i < 3; ++i) {
            hooks::last_call = {5'100'000'000, 5'200'000'000};
            round.message(hooks::RoundAct::sent, 0, 100, size_bucket(100));
            round.message(hooks::RoundAct::sent, 2, 100000, size_bucket(100000));
            round.message(hooks::RoundAct::fetched, 3, 8, size_bucket(8));
            round.act(hooks::round_key(hooks::RoundAct::received, 2));
            round.close();
            round.collective(1, 70);
            round.meeting(0);
            round.act(hooks::round_key(hooks::RoundAct::completed, 0));
            round.close();
        }
        round.finish();
    }
    /// Rank 0 has the records of all.
    void gather(const std::string& frames) {
        char* const copy = arena_.make_array<char>(frames.size());
        std::copy(frames.begin(), frames.end(), copy);
        head_->gathered = copy;
        head_->gathered_bytes = frames.size();
        head_->state.store(RecordState::gathered);
    }
    hooks::PhaseLog& log() { return head_->phases; }
    hooks::Arena& arena() { return arena_; }

    /// @param end  what is behind it in the memory is not there
    void write_to(const std::string& name, const void* end) const {
        const auto* const begin = static_cast<const char*>(arena_.base());
        const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
        std::string image(begin, size);
        const auto mapped_at = reinterpret_cast<std::uintptr_t>(begin);
        for (std::size_t at = 0; at + sizeof mapped_at <= size; at += sizeof mapped_at) {
            std::uintptr_t word = 0;
            std::memcpy(&word, image.data() + at, sizeof word);
            if (word - mapped_at >= hooks::Arena::max_bytes) continue;
            word = word - mapped_at + image_base;
            std::memcpy(image.data() + at, &word, sizeof word);
        }
        const bool gathered = head_->state.load() == RecordState::gathered;
        const auto state = static_cast<std::uint8_t>(gathered ? 2 : 1);
        write(name, squeezed({state, 0, 0, 'x', 0}, image));
    }
    void write_to(const std::string& name) { write_to(name, arena_.allocate(1)); }

private:
    hooks::ThreadCounters* add_thread() {
        auto* counters = arena_.make<hooks::ThreadCounters>();
        all_written = all_written && counters->sent.open(arena_, 4, false) &&
                      counters->fetched.open(arena_, 4, false);
        counters->next = head_->threads.load();
        head_->threads.store(counters);
        return counters;
    }
    void add_collectives(const RankId* members, std::uint32_t size) {
        auto* group = arena_.make<hooks::RankGroup>();
        group->members = members;
        group->num_members = size;
        group->number = num_groups_++;
        group->has_topology = group->number == 0;
        for (const CollectiveOp op : {CollectiveOp::bcast, CollectiveOp::allreduce}) {
            auto* count = arena_.make<hooks::CollectiveCount>();
            count->op = op;
            count->root = op == CollectiveOp::bcast ? members[0] : no_id;
            count->number = num_counts_++;
            count->bucket = static_cast<std::uint8_t>(size_bucket(70));
            count->add(70);
            group->collectives[static_cast<std::size_t>(op)].store(count);
        }
        group->next = head_->groups.load();
        head_->groups.store(group);
    }

    /// Of the communicator of all ranks.
    void add_topology(std::uint32_t num_dims, std::initializer_list<std::uint32_t> numbers) {
        auto* const copy = arena_.make_array<std::uint32_t>(numbers.size());
        std::copy(numbers.begin(), numbers.end(), copy);
        auto* const entry = arena_.make<hooks::TopologyEntry>();
        *entry = {.group = 0,
                  .num_dims = num_dims,
                  .numbers = copy,
                  .num_numbers = static_cast<std::uint32_t>(numbers.size()),
                  .next = head_->topologies.load()};
        head_->topologies.store(entry);
    }

    FileDescriptor file_{::memfd_create("write_fuzz_seeds", MFD_CLOEXEC)};
    hooks::Arena arena_;
    hooks::RecordHead* head_ = nullptr;
    hooks::SignatureTable signatures_;
    std::uint32_t num_counts_ = 0;
    std::uint32_t num_groups_ = 0;
};

void log_some(Record& record) {
    using Kind = hooks::PhaseEntry::Kind;
    const auto bucket = static_cast<std::uint8_t>(size_bucket(100));
    record.log().add(record.arena(), Kind::sent, 2, bucket, 1, 100);
    record.log().add(record.arena(), Kind::fetched, 0, 0, 1, 8);
    record.log().add(record.arena(), Kind::collective, 0, 0, 1, 70);
    record.log().add(record.arena(), Kind::mpi, 0, 0, 0, 500'000'000);
}

void write_records() {
    Record().write_to("record/taken-without-phases");
    Record slices;
    slices.log().begin_slices();
    log_some(slices);
    slices.log().open_section(hooks::PhaseLog::slice_flag | 3);
    // the log is the last thing there, and most of it is not used
    slices.write_to("record/taken-slices", slices.log().entries() + slices.log().size());
    Record labels;
    labels.log().drop_slices();
    const std::uint32_t label = labels.log().label_number("solve");
    labels.log().add(labels.arena(), hooks::PhaseEntry::Kind::wall, 0, 0, 1, 1'000'000'000);
    labels.log().open_section(label);
    log_some(labels);
    labels.log().open_section(labels.log().label_number("write"));
    labels.write_to("record/taken-labels", labels.log().entries() + labels.log().size());
    Record root;
    std::string frames;
    for (RankId rank = 0; rank < 4; ++rank) {
        RankRecord record;
        record.rank = rank;
        record.application_id = "build-id:1";
        record.sections.emplace_back().sent = {{(rank + 1) % 4, 0, 1, 10}};
        append_frame(frames, encode_rank_record(record));
    }
    root.gather(frames);
    root.write_to("record/taken-gathered");
}

void write_nodes() {
    const NodeCpus machine{{{{0, 8, 1, 2},
                             {0, 4, 3, 2},
                             {4, 4, 5, 2},
                             {0, 2, 0, 0},
                             {2, 2, 0, 0},
                             {4, 2, 0, 0},
                             {6, 2, 0, 0}}},
                           {0, 4, 2, 6, 1, 5, 3, 7}};
    write("node/taken-all", std::string("\x04\x02"
                                        "0x3,0xC,0xF0\0",
                                        15) +
                                bytes_of_node(machine));
    write("node/taken-uneven", std::string("\x02\x03"
                                           "0xFF\0",
                                           7) +
                                   bytes_of_node(machine));
}

/// As PlanCache keeps them, without the line with the hash. The second names a file of its own.
void write_plans() {
    write("plan/taken-finished", "\n0 0 0\ncommmap-plan 2\ndecision keep\nend\n");
    write("plan/taken-unfinished", "\n600 3 7\na 1\nb 2commmap-plan 2\ndecision keep\nend\n");
    write("plan/file-that-has-changed", "sha256:0 /etc/hostname\n\n0 0 0\nplan\n");
}

void write_texts() {
    write("text/taken-plan",
          "pcommmap-plan 2\nline moved\nreport written\ndecision apply\ntasks-per-node 2,2,1\n"
          "order 1,0x2,2,1\ncpu-sets 0,1/0@0x2,1x1\nend\n");
    write("text/taken-hostlist", "hn[001-003,7],login,r[1-2]n[08-10]");
    write("text/taken-runs", "r3,0x2,1");
    write("text/taken-counts", "c4(x3),2");
    write("text/taken-cpu-sets", "s0,1/1,0@0x5,1x3");
    write("text/taken-bandwidth", "u1.5 GiB/s");
    write("text/taken-time", "u60 us");
    write("text/taken-length", "u64 KiB");
    write("text/taken-multi-prog", std::string("m\1file\0"
                                               "0 /bin/a x\n1-3,7 '/bin/b c' y # z\n* d\n",
                                               46));
    write("text/taken-script", std::string("lenv\0A=1\0sh\0-e\0etc/profile", 26));
    write("text/taken-relaunch", "w5:77:6");
    write("text/taken-value", "vplaced1,verbose:0,1@0x2");
}

}  // namespace
}  // namespace commmap::fuzz

int main(int argc, char** argv) {
    using namespace commmap::fuzz;
    if (argc != 2) {
        std::fputs("usage: write_fuzz_seeds DIRECTORY\n", stderr);
        return 2;
    }
    directory = argv[1];
    write_profiles();
    write_reports();
    write_records();
    write_nodes();
    write_plans();
    write_texts();
    return all_written ? 0 : 1;
}
