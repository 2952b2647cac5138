// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What gathering costs when a run of many ranks ends: bench_gather RANKS CASE DIRECTORY WORK.
// Cases: a 27-point stencil without phases (plain), or with phases that are found from time slices
// (slices) or have labels (labels); ranks with 1,280 peers of 4,096 (wide); all sending to all
// (dense). Work, each in a process of its own, whose memory
// is its alone: `tree` makes what the ranks record, gathers it up to rank 0's and the inner rank's
// messages, and keeps these, and the nodes' parts, in the directory; `inner` is that of the inner
// ranks with most below it; `root` is rank 0, which keeps a copy; `save` is commmap-collect, which
// merges and writes that; `collect` is srun, where ranks could not gather. All is the recorder's
// own code; MPI is fake_mpi.cpp.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../measure.hpp"
#include "core/base/file.hpp"
#include "core/base/frames.hpp"
#include "core/profile/recording/rank_record_codec.hpp"
#include "core/profile/store/unfinished_run.hpp"
#include "fake_mpi.hpp"
#include "pmix_hooks/exchange/gather.hpp"

namespace commmap {
namespace {

using hooks::Gathered;

constexpr std::uint32_t ranks_per_node = 128;
constexpr std::uint32_t job = 1;

struct Case {
    std::string name;
    RankId ranks;
};

/// Peers of a periodic 27-point stencil, row-major.
std::vector<RankId> stencil(RankId rank, RankId ranks) {
    const auto dims = cube(ranks);
    const std::array<RankId, 3> place{rank / (dims[1] * dims[2]), rank / dims[2] % dims[1],
                                      rank % dims[2]};
    std::vector<RankId> peers;
    for (RankId n = 0; n < 27; ++n) {
        const std::array<RankId, 3> step{n / 9, n / 3 % 3, n % 3};  // 1: the same
        RankId there = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            there = there * dims[axis] + (place[axis] + step[axis] + dims[axis] - 1) % dims[axis];
        if (n != 13) peers.push_back(there);
    }
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    return peers;
}

constexpr std::uint64_t times = 1000;  ///< that each message is sent
constexpr std::uint64_t reduced_bytes = 8;
constexpr std::uint64_t gathered_bytes = 8192;

/// Messages to a peer, of one part of the run.
TrafficCell sent_to(RankId peer, std::uint32_t number) {
    const std::uint64_t bytes = (std::uint64_t{1} << (6 + 4 * number)) + peer % 16;
    return {peer, static_cast<std::uint32_t>(size_bucket(bytes)), times, times * bytes};
}

/// Of one part of the run; parts of another number have other lengths and collectives.
RankRecord::Section section(const std::vector<RankId>& peers, std::uint32_t number) {
    RankRecord::Section section;
    section.mpi_s = 0.1;
    for (const RankId peer : peers) section.sent.push_back(sent_to(peer, number));
    section.collectives = {{0, CollectiveOp::allreduce, false, no_id, 100, 800},
                           {number % 2 + 1, CollectiveOp::allgather, false, no_id, 10, 81920}};
    return section;
}

void add_communicator(RankRecord& record, const std::vector<RankId>& members) {
    auto& communicator = record.communicators.emplace_back();
    communicator.key = communicator_key(members.data(), members.size());
    if (members[0] == record.rank) communicator.members = members;
}

/// Rounds in which a rank exchanges messages with all of some peers, and one with each collective.
void add_rounds(RankRecord& record, const std::vector<RankId>& peers, std::uint32_t num_parts) {
    constexpr std::size_t most_at_once = 32;
    RankRounds& rounds = record.rounds;
    const auto bucket = [](std::uint64_t bytes) {
        return static_cast<std::uint8_t>(size_bucket(bytes));
    };
    record.round_collectives = {
        {.communicator = 0, .op = CollectiveOp::allreduce, .bucket = bucket(reduced_bytes)},
        {.communicator = 1, .op = CollectiveOp::allgather, .bucket = bucket(gathered_bytes)},
        {.communicator = 2, .op = CollectiveOp::allgather, .bucket = bucket(gathered_bytes)}};
    for (std::uint32_t i = 0; i < record.round_collectives.size(); ++i) {
        const std::uint64_t bytes = i == 0 ? reduced_bytes : gathered_bytes;
        Signature& signature = rounds.signatures.emplace_back();
        signature.rounds = times;
        signature.collectives = {{i, times, times * bytes}};
        signature.meetings = {{record.round_collectives[i].communicator, 1, 1}};
    }
    std::size_t items = 2 * rounds.signatures.size();
    for (std::uint32_t part = 0; part < num_parts; ++part) {
        for (std::size_t i = 0; i < peers.size(); i += most_at_once) {
            Signature signature;
            signature.rounds = times;
            signature.seconds = 1.0;
            signature.before_wait_s = 0.1;
            for (std::size_t j = i; j < std::min(i + most_at_once, peers.size()); ++j) {
                signature.sent.push_back(sent_to(peers[j], part));
                signature.received.push_back({peers[j], 1});
            }
            items += 2 * signature.sent.size();
            // as many as the recorder keeps
            if (items > RankRounds::most_items ||
                rounds.signatures.size() == RankRounds::most_signatures)
                rounds.other_rounds += times;
            else
                rounds.signatures.push_back(std::move(signature));
        }
    }
    const auto num = static_cast<std::uint8_t>(rounds.signatures.size());
    for (std::uint8_t from = 0; from < num; ++from)
        rounds.successions.push_back({from, static_cast<std::uint8_t>((from + 1) % num), times});
    for (std::size_t i = 0; i < RankRounds::most_listed; ++i)
        rounds.order.push_back(static_cast<std::uint8_t>(i % num));
}

/// As the recorder makes it when MPI_Finalize begins, and commmap-collect from the rank's memory.
RankRecord record_of(RankId rank, const Case& c) {
    RankRecord record;
    record.rank = rank;
    record.node_id = rank / ranks_per_node;
    record.application_id = "build-id:" + std::string(40, '5');
    record.node = "node" + std::to_string(record.node_id);
    record.cpus = std::to_string(rank % ranks_per_node);
    record.wall_s = 60.0;
    record.mpi_s = 10.0;
    for (std::uint32_t call = 0; call < 12; ++call)
        record.calls.push_back({call * 5, 0.5F, 100000});
    const RankId columns = cube(c.ranks)[0] * cube(c.ranks)[1];
    std::vector<RankId> world;
    std::vector<RankId> row;
    std::vector<RankId> column;
    for (RankId other = 0; other < c.ranks; ++other) {
        world.push_back(other);
        if (other / columns == rank / columns) row.push_back(other);
        if (other % columns == rank % columns) column.push_back(other);
    }
    for (const auto& members : {world, row, column}) add_communicator(record, members);
    std::vector<RankId> peers;
    std::uint32_t num_parts = 4;
    if (c.name == "dense" || c.name == "wide") {
        const RankId some = c.name == "dense" ? c.ranks - 1 : c.ranks * 5 / 16;
        for (RankId n = 1; n <= some; ++n) peers.push_back((rank + n) % c.ranks);
        std::sort(peers.begin(), peers.end());
        record.sections.push_back(section(peers, 0));
        num_parts = 1;
    } else if (c.name == "plain") {
        peers = stencil(rank, c.ranks);
        record.sections.push_back(section(peers, 0));
        num_parts = 1;
    } else if (c.name == "labels") {
        peers = stencil(rank, c.ranks);
        for (std::uint32_t number = 0; number < num_parts; ++number) {
            record.sections.push_back(section(peers, number));
            record.sections.back().label = "phase " + std::to_string(number);
        }
    } else {
        peers = stencil(rank, c.ranks);
        record.slice_s = 1.0;
        for (std::uint32_t slice = 0; slice < RankRecord::most_slices; ++slice) {
            record.sections.push_back(section(peers, slice * num_parts / RankRecord::most_slices));
            record.sections.back().slice = slice;
        }
    }
    for (const RankId peer : peers) record.waits.push_back({peer, 0.01F, times});
    record.open_sends = {{sent_to(0, 0).bucket, 3, times, 2 * times}};
    record.early_messages = {.looked_at = times, .early = times / 2};
    add_rounds(record, peers, num_parts);
    limit_sections(record, most_section_bytes(c.ranks));
    limit_lists(record, most_record_bytes(c.ranks));
    return record;
}

/// Of the process until now.
double user_s() {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
}

Gathered gather(RankId rank, const Case& c, std::span<char> room = {}) {
    return hooks::gather_to_root({}, static_cast<int>(rank), static_cast<int>(c.ranks),
                                 encode_rank_record(record_of(rank, c)), hooks::max_gathered_bytes,
                                 room);
}

/// The time of some work, and the memory of the process at its end.
template <class Work>
void time(nlohmann::json& row, Work&& work) {
    const double user_before = user_s();
    const auto begin = std::chrono::steady_clock::now();
    row["end"] = std::forward<Work>(work)();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    row["seconds"] = seconds.count();
    row["user_seconds"] = user_s() - user_before;
    row["peak_mib"] = peak_mib();
}

void tree(nlohmann::json& row, const Case& c, const std::string& directory) {
    keep_messages(directory, 0);
    keep_messages(directory, static_cast<int>(c.ranks / 2));
    const UnfinishedRun unfinished(directory, job, 0);
    NodePart part{"/x/app", "none", c.ranks, {}};
    std::size_t record_bytes = 0;
    std::uint64_t inner_bytes = 0;
    int partners = 0;
    // what is below a rank has a higher number
    for (RankId rank = c.ranks - 1; rank > 0; --rank) {
        become(static_cast<int>(rank));
        static_cast<void>(gather(rank, c));
        const Exchanged now = exchanged();
        record_bytes = std::max(record_bytes, encode_rank_record(record_of(rank, c)).size());
        inner_bytes = std::max(inner_bytes, now.received_bytes);
        partners = std::max(partners, now.partners);
    }
    for (RankId rank = 0; rank < c.ranks; ++rank) {
        // as commmap-collect finds it, with all members
        part.records.push_back(record_of(rank, c));
        if ((rank + 1) % ranks_per_node != 0 && rank + 1 < c.ranks) continue;
        if (const Status kept = unfinished.keep(rank / ranks_per_node, part); !kept)
            must<int>(kept.error());
        part.records.clear();
    }
    row["largest_record_bytes"] = record_bytes;
    row["most_received_by_inner_rank_bytes"] = inner_bytes;
    row["most_partners_of_inner_rank"] = partners;
}

void inner(nlohmann::json& row, const Case& c, const std::string& directory) {
    const RankId rank = c.ranks / 2;
    become(static_cast<int>(rank), directory);
    time(row, [&] {
        static_cast<void>(gather(rank, c));
        return "";
    });
    row["received_bytes"] = exchanged().received_bytes;
    row["sent_bytes"] = exchanged().sent_bytes;
}

/// The signatures of rank 0's rounds in the profile that was written.
void add_signatures(nlohmann::json& row, const std::string& directory) {
    const auto written = must(ProfileStore(directory).list());
    if (row["end"] != "written" || written.empty()) return;
    const Rounds rounds = must(must(open_profile_file(written.back().path)).rounds());
    row["signatures"] = rounds.ranks.empty() ? 0 : rounds.ranks[0].signatures.size();
}

std::string gathered_path(const std::string& directory) { return directory + "/gathered"; }

void root(nlohmann::json& row, const Case& c, const std::string& directory) {
    become(0, directory);
    // of the memory that outlives the rank, of which only what is written is there
    auto* const memory =
        static_cast<char*>(::mmap(nullptr, hooks::max_gathered_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    Gathered gathered;
    time(row, [&] {
        gathered = gather(0, c, {memory, hooks::max_gathered_bytes});
        return gathered.end == Gathered::End::complete ? "written" : "refused";
    });
    row["received_bytes"] = exchanged().received_bytes;
    row["tree_steps"] = exchanged().senders;
    const std::string copy(gathered.records.view());
    if (const Status kept = write_file_atomically(gathered_path(directory), copy); !kept)
        must<int>(kept.error());
}

void save(nlohmann::json& row, const Case& c, const std::string& directory) {
    const std::string all =
        must(read_file(gathered_path(directory), hooks::max_gathered_bytes * 2));
    time(row, [&]() -> std::string {
        if (all.empty()) return "refused";
        std::vector<NodePart> parts = {{"/x/app", "none", c.ranks, {}}};
        std::string_view frames = all;
        for (std::string_view frame; take_frame(frames, frame);)
            parts[0].records.push_back(must(decode_rank_record(frame)));
        const auto written =
            UnfinishedRun(directory, job, 1).save(std::move(parts), ProfileStore(directory));
        return written ? "written" : written.error().message;
    });
    add_signatures(row, directory);
}

void collect(nlohmann::json& row, const std::string& directory) {
    time(row, [&] {
        const auto written =
            UnfinishedRun(directory, job, 0).collect(ProfileStore(directory, compress_zstd));
        return written ? "written" : written.error().message;
    });
    add_signatures(row, directory);
}

}  // namespace
}  // namespace commmap

int main(int argc, char** argv) {
    using namespace commmap;
    const Case c{argc == 5 ? argv[2] : "", static_cast<RankId>(argc == 5 ? std::atoi(argv[1]) : 0)};
    const std::string directory = argc == 5 ? argv[3] : "";
    const std::string work = argc == 5 ? argv[4] : "";
    const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> known) {
        return std::find(known.begin(), known.end(), text) != known.end();
    };
    if (c.ranks < 64 || (c.ranks & (c.ranks - 1)) != 0 ||
        !is_one_of(c.name, {"plain", "slices", "labels", "wide", "dense"}) ||
        !is_one_of(work, {"tree", "inner", "root", "save", "collect"})) {
        std::fprintf(stderr,
                     "usage: bench_gather RANKS plain|slices|labels|wide|dense DIRECTORY "
                     "tree|inner|root|save|collect (RANKS a power of two "
                     "from 64; tree comes first)\n");
        return 2;
    }
    nlohmann::json row = {{"case", c.name}, {"ranks", c.ranks}, {"part", work}};
    if (work == "tree") tree(row, c, directory);
    if (work == "inner") inner(row, c, directory);
    if (work == "root") root(row, c, directory);
    if (work == "save") save(row, c, directory);
    if (work == "collect") collect(row, directory);
    std::printf("%s\n", nlohmann::json::array({row}).dump(2).c_str());
    return 0;
}
