// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/rank_record.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/reduce_by_key.hpp"
#include "core/profile/format/byte_stream.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/rounds_codec.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/profile/recording/mpi_call_generated.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

/// Of one in a record.
constexpr std::size_t collective_bytes = 27;

bool is_possible(double seconds) { return is_time(seconds) && seconds <= RankRecord::longest_s; }

/// That all are ranks, and none is there twice. @param sorted  they, then
bool are_members(std::vector<RankId> members, std::size_t num_ranks, std::vector<RankId>& sorted) {
    std::sort(members.begin(), members.end());
    sorted = std::move(members);
    return (sorted.empty() || sorted.back() < num_ranks) &&
           std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

Status check_ranks(const RankRecord& record, std::size_t num_ranks) {
    const auto refuse = [&](const char* what) {
        return corrupt("rank " + std::to_string(record.rank) + " records " + what);
    };
    if (record.rank >= num_ranks) return refuse("of another run");
    if (!record.waits.empty() && record.waits.back().peer >= num_ranks)
        return refuse("a peer out of range");
    std::vector<std::vector<RankId>> members(record.communicators.size());
    for (std::size_t i = 0; i < members.size(); ++i)
        if (!are_members(record.communicators[i].members, num_ranks, members[i]))
            return refuse("a communicator with a member out of range, or twice");
    for (const RankRecord::Section& section : record.sections) {
        for (const auto* traffic : {&section.sent, &section.fetched})
            for (const TrafficCell& with : *traffic)
                if (with.peer >= num_ranks) return refuse("a peer out of range");
        for (const RankRecord::Collective& collective : section.collectives) {
            if (collective.root == no_id) continue;
            const std::vector<RankId>& among = members[collective.communicator];
            if (collective.root >= num_ranks ||
                (!among.empty() &&
                 !std::binary_search(among.begin(), among.end(), collective.root)))
                return refuse("a root out of range");
        }
    }
    for (const RankRecord::Topology& topology : record.topologies)
        for (const RankId to : topology.destinations)
            if (to >= num_ranks) return refuse("a neighbour out of range");
    const RoundLimits limits{num_ranks, record.communicators.size(),
                             record.round_collectives.size()};
    if (Status s = check_round_collectives(record.round_collectives, limits); !s) return s;
    return check_rounds("rank " + std::to_string(record.rank), record.rounds, limits);
}

RankRecord::CommunicatorKey communicator_key(const RankId* members, std::size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(members, count * sizeof *members);
    return {hash.high64, hash.low64};
}

void reduce_by_key(std::vector<RankRecord::Collective>& collectives) {
    using Collective = RankRecord::Collective;
    std::sort(collectives.begin(), collectives.end(),
              [](const Collective& a, const Collective& b) { return a.key() < b.key(); });
    collectives.resize(reduce_by_key(std::span(collectives), &Collective::key,
                                     [](Collective& to, const Collective& from) {
                                         to.calls += from.calls;
                                         to.bytes += from.bytes;
                                     }));
}

void add_section(RankRecord::Section& to, const RankRecord::Section& from) {
    to.entered += from.entered;
    to.wall_s += from.wall_s;
    to.mpi_s += from.mpi_s;
    add_row(to.sent, from.sent);
    add_row(to.fetched, from.fetched);
    to.collectives.insert(to.collectives.end(), from.collectives.begin(), from.collectives.end());
    reduce_by_key(to.collectives);
}

void join_sections(RankRecord& record) {
    for (std::size_t i = 1; i < record.sections.size(); ++i)
        add_section(record.sections[0], record.sections[i]);
    record.sections.resize(1);
    RankRecord::Section& whole = record.sections[0];
    whole.label.clear();
    whole.slice = 0;
    whole.entered = 0;
    whole.wall_s = record.wall_s;
    whole.mpi_s = record.mpi_s;
    record.slice_s = 0.0;
}

void halve_slices(RankRecord& record) {
    std::vector<RankRecord::Section> longer;
    for (RankRecord::Section& section : record.sections) {
        section.slice /= 2;
        if (longer.empty() || longer.back().slice != section.slice)
            longer.push_back(std::move(section));
        else
            add_section(longer.back(), section);
    }
    record.sections = std::move(longer);
    record.slice_s *= 2;
}

std::size_t section_bytes(const RankRecord& record) {
    constexpr std::size_t numbers = 60;
    std::size_t bytes = 0;
    for (const RankRecord::Section& section : record.sections)
        bytes += numbers + section.label.size() +
                 (section.sent.size() + section.fetched.size()) * sizeof(TrafficCell) +
                 section.collectives.size() * collective_bytes;
    return bytes;
}

void limit_sections(RankRecord& record, std::size_t max_bytes) {
    while (record.sections.size() > 1 && section_bytes(record) > max_bytes) {
        if (record.slice_s > 0.0) {
            halve_slices(record);
            continue;
        }
        join_sections(record);
        record.phases_lost = true;
    }
}

std::string program_name(std::string_view command) {
    return std::string(command.substr(command.rfind('/') + 1).substr(0, RankRecord::most_letters));
}

std::string encode_rank_record(const RankRecord& record) {
    ByteWriter out;
    out.put(record.rank);
    out.put(record.node_id);
    out.put(record.application_id);
    out.put(record.program);
    out.put(record.node);
    out.put(record.cpus);
    out.put(record.locality);
    out.put(record.wall_s);
    out.put(record.mpi_s);
    out.put(static_cast<std::uint8_t>(record.finished));
    out.put(record.calls);
    out.put(record.waits);
    out.put(record.open_sends);
    out.put(record.early_messages.looked_at);
    out.put(record.early_messages.early);
    out.put(std::uint64_t{record.communicators.size()});
    for (const RankRecord::Communicator& communicator : record.communicators) {
        out.put(communicator.key.high);
        out.put(communicator.key.low);
        out.put(communicator.members);
    }
    out.put(std::uint64_t{record.topologies.size()});
    for (const RankRecord::Topology& topology : record.topologies) {
        out.put(topology.communicator);
        out.put(topology.dims);
        out.put(topology.periodic);
        out.put(topology.destinations);
    }
    out.put(record.slice_s);
    out.put(static_cast<std::uint8_t>(record.phases_lost));
    out.put(std::uint64_t{record.sections.size()});
    for (const RankRecord::Section& section : record.sections) {
        out.put(section.label);
        out.put(section.slice);
        out.put(section.entered);
        out.put(section.wall_s);
        out.put(section.mpi_s);
        out.put(section.sent);
        out.put(section.fetched);
        out.put(std::uint64_t{section.collectives.size()});
        for (const RankRecord::Collective& collective : section.collectives) {
            out.put(collective.communicator);
            out.put(static_cast<std::uint8_t>(collective.op));
            out.put(static_cast<std::uint8_t>(collective.in_peer_traffic));
            out.put(collective.root);
            out.put(collective.calls);
            out.put(collective.bytes);
            out.put(collective.bucket);
        }
    }
    put_round_collectives(out, record.round_collectives);
    put_rounds(out, record.rounds);
    return out.take();
}

Result<RankRecord> decode_rank_record(std::string_view bytes) {
    ByteReader in(bytes);
    const Error damaged{Errc::corrupt, "the record of a rank is damaged"};
    RankRecord record;
    record.rank = in.get<RankId>();
    record.node_id = in.get<std::uint32_t>();
    record.application_id = in.text();
    record.program = in.text();
    record.node = in.text();
    record.cpus = in.text();
    record.locality = in.text();
    record.wall_s = in.get<double>();
    record.mpi_s = in.get<double>();
    record.finished = in.get<std::uint8_t>() != 0;
    record.calls = in.vector<RankRecord::Call>();
    record.waits = in.vector<PeerWait>();
    record.open_sends = in.vector<OpenSends>();
    record.early_messages.looked_at = in.get<std::uint64_t>();
    record.early_messages.early = in.get<std::uint64_t>();
    if (!is_possible(record.wall_s) || !is_possible(record.mpi_s) ||
        record.cpus.size() > max_cpus_letters ||
        !is_ascending(record.calls, &RankRecord::Call::call) ||
        !is_ascending(record.waits, &PeerWait::peer) || !are_open_sends(record.open_sends) ||
        record.early_messages.early > record.early_messages.looked_at)
        return damaged;
    for (const PeerWait& wait : record.waits)
        if (!is_possible(static_cast<double>(wait.seconds))) return damaged;
    for (const RankRecord::Call& call : record.calls)
        if (call.call >= num_mpi_calls || !is_possible(static_cast<double>(call.seconds)))
            return damaged;
    record.communicators.resize(in.length(24));
    for (RankRecord::Communicator& communicator : record.communicators) {
        communicator.key.high = in.get<std::uint64_t>();
        communicator.key.low = in.get<std::uint64_t>();
        communicator.members = in.vector<RankId>();
    }
    record.topologies.resize(in.length(28));
    if (record.topologies.size() > ProcessTopology::most_of_rank) return damaged;
    std::size_t numbers = 0;
    for (RankRecord::Topology& topology : record.topologies) {
        topology.communicator = in.get<std::uint32_t>();
        topology.dims = in.vector<std::uint32_t>();
        topology.periodic = in.vector<std::uint8_t>();
        topology.destinations = in.vector<RankId>();
        numbers += 2 * topology.dims.size() + topology.destinations.size();
        if (topology.communicator >= record.communicators.size() ||
            topology.dims.size() > ProcessTopology::most_dims ||
            topology.periodic.size() != topology.dims.size() ||
            (!topology.dims.empty() && !topology.destinations.empty()) ||
            numbers > ProcessTopology::most_numbers)
            return damaged;
    }
    record.slice_s = in.get<double>();
    record.phases_lost = in.get<std::uint8_t>() != 0;
    record.sections.resize(in.length(60));
    if (record.sections.empty() || record.sections.size() > RankRecord::most_sections ||
        !is_time(record.slice_s) || record.slice_s > RankRecord::longest_slice_s)
        return damaged;
    std::uint32_t next_slice = 0;
    double wall_s = 0.0;  // of all, which may become one
    double mpi_s = 0.0;
    for (RankRecord::Section& section : record.sections) {
        section.label = in.text();
        section.slice = in.get<std::uint32_t>();
        section.entered = in.get<std::uint64_t>();
        section.wall_s = in.get<double>();
        section.mpi_s = in.get<double>();
        section.sent = in.vector<TrafficCell>();
        section.fetched = in.vector<TrafficCell>();
        if (!is_row(section.sent) || !is_row(section.fetched) ||
            section.slice >= RankRecord::most_slices ||
            section.label.size() > RankRecord::most_letters || !is_time(section.wall_s) ||
            !is_time(section.mpi_s) || (record.slice_s > 0.0 && section.slice < next_slice))
            return damaged;
        next_slice = section.slice + 1;
        wall_s += section.wall_s;
        mpi_s += section.mpi_s;
        section.collectives.resize(in.length(collective_bytes));
        for (RankRecord::Collective& collective : section.collectives) {
            collective.communicator = in.get<std::uint32_t>();
            const auto op = in.get<std::uint8_t>();
            collective.in_peer_traffic = in.get<std::uint8_t>() != 0;
            collective.root = in.get<RankId>();
            collective.calls = in.get<std::uint64_t>();
            collective.bytes = in.get<std::uint64_t>();
            collective.bucket = in.get<std::uint8_t>();
            if (op >= static_cast<std::uint8_t>(CollectiveOp::count_) ||
                collective.communicator >= record.communicators.size() ||
                !is_collective_bucket(collective.bucket, collective.in_peer_traffic))
                return damaged;
            collective.op = static_cast<CollectiveOp>(op);
        }
        if (!is_ascending(section.collectives, &RankRecord::Collective::key)) return damaged;
    }
    record.round_collectives = get_round_collectives(in);
    record.rounds = get_rounds(in);
    if (!in.at_end() || !is_possible(wall_s) || !is_possible(mpi_s)) return damaged;
    return record;
}

}  // namespace commmap
