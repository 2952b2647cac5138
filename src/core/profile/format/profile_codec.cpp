// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/format/profile_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/flat_buffer.hpp"
#include "core/profile/format/profile_v3_generated.h"
#include "core/profile/format/rounds_section.hpp"
#include "core/profile/format/topologies_section.hpp"
#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

namespace commmap {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

/// Sizes of sections: small enough to be read one after the other, large enough to compress well.
constexpr std::size_t cells_per_section = std::size_t{1} << 20;
constexpr std::size_t ranks_per_section = std::size_t{1} << 18;
constexpr std::size_t bytes_per_cell = 21;  ///< uncompressed
constexpr std::size_t bytes_per_call = 22;
constexpr std::size_t rounds_per_section_bytes = std::size_t{1} << 25;
/// A smaller section is not worth compressing.
constexpr std::size_t least_to_compress = 256;

/// Collects all sections end to end.
class Sections {
public:
    /// @param num_cells  cells of all phases. Without compression, room for the cells and the index
    ///                   is taken once.
    Sections(Compress compress, std::size_t num_cells) : compress_(compress) {
        constexpr std::size_t rest = std::size_t{1} << 16;
        if (compress == nullptr) bytes_.reserve(num_cells * bytes_per_cell + rest);
    }

    format3::Section add(const flatbuffers::FlatBufferBuilder& builder) {
        const std::string_view raw = content_of(builder);
        std::string_view stored = raw;
        std::string compressed;
        auto compression = format3::Compression::none;
        if (compress_ != nullptr && raw.size() >= least_to_compress) {
            compressed = compress_(raw);
            if (!compressed.empty() && compressed.size() < raw.size()) {
                stored = compressed;
                compression = format3::Compression::zstd;
            }
        }
        const format3::Section section(bytes_.size(), stored.size(), raw.size(),
                                       XXH3_64bits(stored.data(), stored.size()),
                                       static_cast<std::uint64_t>(compression));
        bytes_ += stored;
        return section;
    }
    /// Returns all sections with `head` before them; no section can be added after that. Where the
    /// room suffices, no second buffer is needed.
    [[nodiscard]] std::string behind(std::string_view head) && {
        return std::move(bytes_.insert(0, head));
    }

private:
    Compress compress_;
    std::string bytes_;
};

/// Returns the end of the ranks from `first` on that go into one section.
/// @param cells_of  returns how many cells a rank has
template <class CellsOf>
RankId end_of_section(RankId first, std::size_t num_ranks, CellsOf&& cells_of) {
    std::size_t cells = 0;
    RankId end = first;
    while (end < num_ranks && end - first < ranks_per_section) {
        cells += cells_of(end);
        if (end > first && cells > cells_per_section) break;
        ++end;
    }
    return end;
}

format3::Section ranks_section(Sections& sections, std::span<const ProfileRank> ranks) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<double> wall;
    std::vector<double> mpi;
    std::vector<std::uint32_t> node;
    std::vector<std::uint32_t> cpus_length;
    std::vector<std::uint32_t> locality;
    std::vector<std::uint32_t> program;
    std::vector<std::uint64_t> looked_at;
    std::vector<std::uint64_t> early;
    std::string cpus;
    for (const ProfileRank& rank : ranks) {
        wall.push_back(rank.wall_s);
        mpi.push_back(rank.mpi_s);
        node.push_back(rank.node);
        cpus_length.push_back(static_cast<std::uint32_t>(rank.cpus.size()));
        cpus += rank.cpus;
        locality.push_back(rank.locality);
        program.push_back(rank.program);
        looked_at.push_back(rank.early_messages.looked_at);
        early.push_back(rank.early_messages.early);
    }
    const bool has_looked = std::ranges::any_of(looked_at, [](auto count) { return count > 0; });
    const auto wall_at = builder.CreateVector(wall);
    const auto mpi_at = builder.CreateVector(mpi);
    const auto node_at = builder.CreateVector(node);
    const auto length_at = builder.CreateVector(cpus_length);
    const auto cpus_at = builder.CreateString(cpus);  // with its length: any byte may be in it
    const auto locality_at = builder.CreateVector(locality);
    const auto program_at = builder.CreateVector(program);
    const auto looked_at_at = has_looked ? builder.CreateVector(looked_at) : 0;
    const auto early_at = has_looked ? builder.CreateVector(early) : 0;
    builder.Finish(format3::CreateRanks(builder, wall_at, mpi_at, node_at, length_at, cpus_at,
                                        locality_at, program_at, looked_at_at, early_at));
    return sections.add(builder);
}

format3::RankSection calls_section(Sections& sections, std::span<const ProfileRank> ranks,
                                   RankId first) {
    std::vector<std::uint32_t> num_calls;
    std::vector<std::uint16_t> call;
    std::vector<float> seconds;
    std::vector<std::uint64_t> count;
    std::vector<std::uint64_t> bytes;
    bool any_bytes = false;
    for (const ProfileRank& rank : ranks) {
        num_calls.push_back(static_cast<std::uint32_t>(rank.calls.size()));
        for (const CallTime& time : rank.calls) {
            call.push_back(static_cast<std::uint16_t>(time.call));
            seconds.push_back(time.seconds);
            count.push_back(time.count);
            bytes.push_back(time.bytes);
            any_bytes = any_bytes || time.bytes > 0;
        }
    }
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(format3::CreateCallsDirect(builder, &num_calls, &call, &seconds, &count,
                                              any_bytes ? &bytes : nullptr));
    return {first, static_cast<std::uint32_t>(ranks.size()), call.size(), sections.add(builder)};
}

format3::RankSection waits_section(Sections& sections, std::span<const ProfileRank> ranks,
                                   RankId first) {
    std::vector<std::uint32_t> num_peers;
    std::vector<std::uint32_t> distance;
    std::vector<float> seconds;
    std::vector<std::uint64_t> calls;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        num_peers.push_back(static_cast<std::uint32_t>(ranks[i].waits.size()));
        for (const PeerWait& wait : ranks[i].waits) {
            distance.push_back(wait.peer - (first + static_cast<RankId>(i)));
            seconds.push_back(wait.seconds);
            calls.push_back(wait.calls);
        }
    }
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(format3::CreateWaitsDirect(builder, &num_peers, &distance, &seconds, &calls));
    return {first, static_cast<std::uint32_t>(ranks.size()), 0, sections.add(builder)};
}

format3::RankSection open_sends_section(Sections& sections, std::span<const ProfileRank> ranks,
                                        RankId first) {
    std::vector<std::uint32_t> num_buckets;
    std::vector<std::uint8_t> bucket;
    std::vector<std::uint32_t> most;
    std::vector<std::uint64_t> sends;
    std::vector<std::uint64_t> others;
    for (const ProfileRank& rank : ranks) {
        num_buckets.push_back(static_cast<std::uint32_t>(rank.open_sends.size()));
        for (const OpenSends& of_size : rank.open_sends) {
            bucket.push_back(static_cast<std::uint8_t>(of_size.bucket));
            most.push_back(of_size.most);
            sends.push_back(of_size.sends);
            others.push_back(of_size.others);
        }
    }
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(
        format3::CreateOpenSendsDirect(builder, &num_buckets, &bucket, &most, &sends, &others));
    return {first, static_cast<std::uint32_t>(ranks.size()), 0, sections.add(builder)};
}

/// Makes the sections of a list that only some ranks may have. Empty: no rank has the list.
/// @param section  makes the section of some ranks: waits_section(), open_sends_section()
template <class List, class MakeSection>
std::vector<format3::RankSection> list_sections(Sections& sections,
                                                std::span<const ProfileRank> ranks,
                                                List ProfileRank::*list, MakeSection&& section) {
    std::vector<format3::RankSection> parts;
    if (std::ranges::all_of(ranks, [&](const ProfileRank& rank) { return (rank.*list).empty(); }))
        return parts;
    for (RankId first = 0; first < ranks.size();) {
        const RankId end = end_of_section(first, ranks.size(),
                                          [&](RankId rank) { return (ranks[rank].*list).size(); });
        parts.push_back(section(sections, ranks.subspan(first, end - first), first));
        first = end;
    }
    return parts;
}

format3::Section communicators_section(Sections& sections, const Profile& profile) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<std::uint32_t> size;
    std::vector<RankId> members;
    for (const auto& communicator : profile.communicators) {
        size.push_back(static_cast<std::uint32_t>(communicator.size()));
        members.insert(members.end(), communicator.begin(), communicator.end());
    }
    builder.Finish(format3::CreateCommunicatorsDirect(builder, &size, &members));
    return sections.add(builder);
}

format3::Section collectives_section(Sections& sections,
                                     const std::vector<CollectiveRecord>& collectives) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<std::uint8_t> op;
    std::vector<std::uint32_t> communicator;
    std::vector<std::uint32_t> root;
    std::vector<std::uint64_t> calls;
    std::vector<std::uint64_t> member_calls;
    std::vector<std::uint64_t> member_bytes;
    std::vector<std::uint8_t> flags;
    std::vector<std::uint8_t> bucket;
    for (const CollectiveRecord& record : collectives) {
        op.push_back(static_cast<std::uint8_t>(record.op));
        communicator.push_back(record.communicator);
        root.push_back(record.root);
        calls.push_back(record.calls);
        member_calls.push_back(record.member_calls);
        member_bytes.push_back(record.member_bytes);
        flags.push_back(record.in_peer_traffic ? 1 : 0);
        bucket.push_back(record.bucket);
    }
    builder.Finish(format3::CreateCollectivesDirect(builder, &op, &communicator, &root, &calls,
                                                    &member_calls, &member_bytes, &flags, &bucket));
    return sections.add(builder);
}

format3::RankSection traffic_section(Sections& sections, const TrafficMatrix& matrix, RankId first,
                                     RankId end) {
    std::vector<std::uint32_t> num_cells;
    std::vector<std::uint32_t> distance;
    std::vector<std::uint8_t> bucket;
    std::vector<std::uint64_t> count;
    std::vector<std::uint64_t> bytes;
    for (RankId rank = first; rank < end; ++rank) {
        const auto row = matrix.sent_by(rank);
        num_cells.push_back(static_cast<std::uint32_t>(row.size()));
        for (const TrafficCell& cell : row) {
            distance.push_back(cell.peer - rank);
            bucket.push_back(static_cast<std::uint8_t>(cell.bucket));
            count.push_back(cell.count);
            bytes.push_back(cell.bytes);
        }
    }
    flatbuffers::FlatBufferBuilder builder(1024 + distance.size() * bytes_per_cell);
    builder.Finish(
        format3::CreateTrafficDirect(builder, &num_cells, &distance, &bucket, &count, &bytes));
    return {first, end - first, distance.size(), sections.add(builder)};
}

format3::Section round_collectives_section(Sections& sections,
                                           const std::vector<RoundCollective>& collectives) {
    flatbuffers::FlatBufferBuilder builder;
    finish_round_collectives(builder, collectives);
    return sections.add(builder);
}

std::vector<format3::RankSection> rounds_sections(Sections& sections,
                                                  std::span<const RankRounds> rounds) {
    std::vector<format3::RankSection> parts;
    for (std::size_t first = 0; first < rounds.size();) {
        std::size_t end = first;
        for (std::size_t bytes = 0; end < rounds.size() && bytes < rounds_per_section_bytes; ++end)
            bytes += most_bytes_of(rounds[end]);
        flatbuffers::FlatBufferBuilder builder;
        finish_rounds(builder, rounds.subspan(first, end - first), static_cast<RankId>(first));
        parts.emplace_back(static_cast<RankId>(first), static_cast<std::uint32_t>(end - first), 0,
                           sections.add(builder));
        first = end;
    }
    return parts;
}

format3::Section topologies_section(Sections& sections,
                                    std::span<const ProcessTopology> topologies) {
    flatbuffers::FlatBufferBuilder builder;
    finish_topologies(builder, topologies);
    return sections.add(builder);
}

std::vector<format3::RankSection> phase_times_sections(Sections& sections,
                                                       std::span<const PhaseTime> times) {
    std::vector<format3::RankSection> parts;
    for (std::size_t first = 0; first < times.size(); first += ranks_per_section) {
        const auto some = times.subspan(first, std::min(ranks_per_section, times.size() - first));
        std::vector<float> wall;
        std::vector<float> mpi;
        for (const PhaseTime& time : some) {
            wall.push_back(time.wall_s);
            mpi.push_back(time.mpi_s);
        }
        flatbuffers::FlatBufferBuilder builder;
        builder.Finish(format3::CreatePhaseTimesDirect(builder, &wall, &mpi));
        parts.emplace_back(static_cast<RankId>(first), static_cast<std::uint32_t>(some.size()), 0,
                           sections.add(builder));
    }
    return parts;
}

/// A phase whose sections are stored. Its strings and lists are made with the index.
struct StoredPhase {
    const Phase* phase;
    std::vector<format3::RankSection> traffic;
    format3::Section collectives;
    std::vector<format3::RankSection> rank_times = {};
};

StoredPhase store_phase(Sections& sections, const Phase& phase, std::size_t num_ranks) {
    StoredPhase stored{&phase, {}, collectives_section(sections, phase.collectives)};
    for (RankId first = 0; first < num_ranks;) {
        const RankId end = end_of_section(
            first, num_ranks, [&](RankId rank) { return phase.sent.sent_by(rank).size(); });
        stored.traffic.push_back(traffic_section(sections, phase.sent, first, end));
        first = end;
    }
    stored.rank_times = phase_times_sections(sections, phase.rank_times);
    return stored;
}

std::string index_of(const Profile& profile, const std::vector<format3::RankSection>& ranks,
                     const std::vector<format3::RankSection>& calls,
                     const format3::Section& communicators, const std::vector<StoredPhase>& stored,
                     const format3::Section& round_collectives,
                     const std::vector<format3::RankSection>& rounds,
                     const format3::Section& topologies,
                     const std::vector<format3::RankSection>& waits,
                     const std::vector<format3::RankSection>& open_sends) {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<format3::Phase>> phases;
    for (const StoredPhase& phase : stored) {
        const TrafficSum sum = sum_of(phase.phase->sent.cells());
        std::vector<format3::TimeRange> times;
        for (const TimeRange& time : phase.phase->times)
            times.emplace_back(time.begin_s, time.end_s);
        phases.push_back(format3::CreatePhaseDirect(
            builder, phase.phase->label.c_str(), phase.phase->wall_s, phase.phase->mpi_s,
            phase.phase->entered, &times, sum.count, sum.bytes, &phase.traffic, &phase.collectives,
            phase.rank_times.empty() ? nullptr : &phase.rank_times));
    }
    using Strings = std::vector<flatbuffers::Offset<flatbuffers::String>>;
    const auto strings = [&](const std::vector<std::string>& from) {
        Strings to;
        for (const std::string& text : from) to.push_back(builder.CreateString(text));
        return to;
    };
    const Strings nodes = strings(profile.nodes);
    const Strings call_names = strings(profile.call_names);
    const Strings localities = strings(profile.localities);
    Strings program_ids;
    Strings program_names;
    for (const Program& program : profile.programs) {
        program_ids.push_back(builder.CreateString(program.application_id));
        program_names.push_back(builder.CreateString(program.name));
    }
    builder.Finish(format3::CreateIndexDirect(
        builder, profile.application_id.c_str(), profile.command.c_str(),
        profile.mpi_library.c_str(), profile.recorder_version.c_str(), profile.recorded_unix_s,
        profile.job_id, profile.step_id, static_cast<std::uint32_t>(profile.num_ranks()),
        !profile.complete, profile.missing.empty() ? nullptr : &profile.missing, &nodes, &ranks,
        &communicators, &phases, profile.slice_s, profile.phases_lost, &call_names, &calls,
        profile.runs, &localities, &program_ids, &program_names,
        rounds.empty() ? nullptr : &round_collectives, rounds.empty() ? nullptr : &rounds,
        profile.topologies.empty() ? nullptr : &topologies, waits.empty() ? nullptr : &waits,
        open_sends.empty() ? nullptr : &open_sends));
    return std::string(content_of(builder));
}

}  // namespace

Status check_section_sizes(const Profile& profile) {
    constexpr std::uint64_t around = 65536;  // what FlatBuffers need for themselves
    std::uint64_t members = 0;
    for (const auto& communicator : profile.communicators)
        members += (communicator.size() + 1) * sizeof(RankId);
    std::uint64_t cpus = 0;
    std::uint64_t most_cpus = 0;
    std::uint64_t calls = 0;
    std::uint64_t most_calls = 0;
    std::uint64_t most_waits = 0;
    for (std::size_t rank = 0; rank < profile.num_ranks(); ++rank) {
        if (rank % ranks_per_section == 0) cpus = calls = 0;
        cpus += profile.ranks[rank].cpus.size() + 24;
        most_cpus = std::max(most_cpus, cpus);
        calls += profile.ranks[rank].calls.size() * bytes_per_call + sizeof(std::uint32_t);
        most_calls = std::max(most_calls, calls);
        most_waits = std::max(most_waits,
                              std::uint64_t{profile.ranks[rank].waits.size()} * sizeof(PeerWait));
    }
    std::uint64_t largest = std::max({members, most_cpus, most_calls, most_waits,
                                      std::uint64_t{most_bytes_of(profile.topologies)}});
    for (const Phase& phase : profile.phases) {
        largest = std::max(largest, std::uint64_t{phase.collectives.size()} * 40);
        for (RankId rank = 0; rank < phase.sent.num_ranks(); ++rank)
            largest =
                std::max(largest, std::uint64_t{phase.sent.sent_by(rank).size()} * bytes_per_cell);
    }
    if (largest + around > max_section_bytes)
        return Error{Errc::out_of_range,
                     fmt::format("a part of it would have {} bytes, more than {}", largest,
                                 max_section_bytes)};
    return Ok{};
}

std::string encode_profile(const Profile& profile, Compress compress) {
    std::size_t num_cells = 0;
    for (const Phase& phase : profile.phases) num_cells += phase.sent.num_cells();
    Sections sections(compress, num_cells);
    std::vector<format3::RankSection> ranks;
    std::vector<format3::RankSection> calls;
    const std::span<const ProfileRank> all(profile.ranks);
    for (std::size_t first = 0; first < all.size(); first += ranks_per_section) {
        const auto some = all.subspan(first, std::min(ranks_per_section, all.size() - first));
        ranks.emplace_back(static_cast<RankId>(first), static_cast<std::uint32_t>(some.size()), 0,
                           ranks_section(sections, some));
        calls.push_back(calls_section(sections, some, static_cast<RankId>(first)));
    }
    const std::vector<format3::RankSection> waits =
        list_sections(sections, all, &ProfileRank::waits, waits_section);
    const std::vector<format3::RankSection> open_sends =
        list_sections(sections, all, &ProfileRank::open_sends, open_sends_section);
    const format3::Section communicators = communicators_section(sections, profile);
    const format3::Section topologies = profile.topologies.empty()
                                            ? format3::Section()
                                            : topologies_section(sections, profile.topologies);
    std::vector<StoredPhase> phases;
    for (const Phase& phase : profile.phases)
        phases.push_back(store_phase(sections, phase, profile.num_ranks()));

    const bool has_rounds = !profile.rounds.ranks.empty();
    const format3::Section round_collectives =
        has_rounds ? round_collectives_section(sections, profile.rounds.collectives)
                   : format3::Section();
    const std::vector<format3::RankSection> rounds =
        rounds_sections(sections, profile.rounds.ranks);

    const std::string index = index_of(profile, ranks, calls, communicators, phases,
                                       round_collectives, rounds, topologies, waits, open_sends);
    ProfileHeader header{};
    std::memcpy(header.magic, ProfileHeader::magic_letters, sizeof header.magic);
    header.version = profile_format_version;
    header.index_bytes = index.size();
    header.index_xxh3 = XXH3_64bits(index.data(), index.size());
    const std::string head(reinterpret_cast<const char*>(&header), sizeof header);
    return std::move(sections).behind(head + index);
}

}  // namespace commmap
