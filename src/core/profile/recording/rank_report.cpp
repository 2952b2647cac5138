#include "core/profile/recording/rank_report.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/add_up.hpp"
#include "core/profile/format/byte_stream.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/format/rounds_codec.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/profile/recording/mpi_call_generated.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

/// Of one in a report.
constexpr std::size_t collective_bytes = 27;

bool is_possible(double seconds) { return is_time(seconds) && seconds <= RankReport::longest_s; }

/// That all are ranks, and none is there twice. @param sorted  they, then
bool are_members(std::vector<RankId> members, std::size_t num_ranks, std::vector<RankId>& sorted) {
    std::sort(members.begin(), members.end());
    sorted = std::move(members);
    return (sorted.empty() || sorted.back() < num_ranks) &&
           std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

Status check_ranks(const RankReport& report, std::size_t num_ranks) {
    const auto refuse = [&](const char* what) {
        return corrupt("rank " + std::to_string(report.rank) + " reports " + what);
    };
    if (report.rank >= num_ranks) return refuse("of another run");
    if (!report.waits.empty() && report.waits.back().peer >= num_ranks)
        return refuse("a peer out of range");
    std::vector<std::vector<RankId>> members(report.communicators.size());
    for (std::size_t i = 0; i < members.size(); ++i)
        if (!are_members(report.communicators[i].members, num_ranks, members[i]))
            return refuse("a communicator with a member out of range, or twice");
    for (const RankReport::Section& section : report.sections) {
        for (const auto* traffic : {&section.sent, &section.fetched})
            for (const TrafficCell& with : *traffic)
                if (with.peer >= num_ranks) return refuse("a peer out of range");
        for (const RankReport::Collective& collective : section.collectives) {
            if (collective.root == no_id) continue;
            const std::vector<RankId>& among = members[collective.communicator];
            if (collective.root >= num_ranks ||
                (!among.empty() &&
                 !std::binary_search(among.begin(), among.end(), collective.root)))
                return refuse("a root out of range");
        }
    }
    for (const RankReport::Topology& topology : report.topologies)
        for (const RankId to : topology.destinations)
            if (to >= num_ranks) return refuse("a neighbour out of range");
    const RoundLimits limits{num_ranks, report.communicators.size(),
                             report.round_collectives.size()};
    if (Status s = check_round_collectives(report.round_collectives, limits); !s) return s;
    return check_rounds("rank " + std::to_string(report.rank), report.rounds, limits);
}

RankReport::CommunicatorKey communicator_key(const RankId* members, std::size_t count) {
    const XXH128_hash_t hash = XXH3_128bits(members, count * sizeof *members);
    return {hash.high64, hash.low64};
}

void add_up(std::vector<RankReport::Collective>& collectives) {
    using Collective = RankReport::Collective;
    std::sort(collectives.begin(), collectives.end(),
              [](const Collective& a, const Collective& b) { return a.key() < b.key(); });
    collectives.resize(add_up_neighbours(std::span(collectives), &Collective::key,
                                         [](Collective& to, const Collective& from) {
                                             to.calls += from.calls;
                                             to.bytes += from.bytes;
                                         }));
}

void add_section(RankReport::Section& to, const RankReport::Section& from) {
    to.entered += from.entered;
    to.wall_s += from.wall_s;
    to.mpi_s += from.mpi_s;
    add_row(to.sent, from.sent);
    add_row(to.fetched, from.fetched);
    to.collectives.insert(to.collectives.end(), from.collectives.begin(), from.collectives.end());
    add_up(to.collectives);
}

void join_sections(RankReport& report) {
    for (std::size_t i = 1; i < report.sections.size(); ++i)
        add_section(report.sections[0], report.sections[i]);
    report.sections.resize(1);
    RankReport::Section& whole = report.sections[0];
    whole.label.clear();
    whole.slice = 0;
    whole.entered = 0;
    whole.wall_s = report.wall_s;
    whole.mpi_s = report.mpi_s;
    report.slice_s = 0.0;
}

void halve_slices(RankReport& report) {
    std::vector<RankReport::Section> longer;
    for (RankReport::Section& section : report.sections) {
        section.slice /= 2;
        if (longer.empty() || longer.back().slice != section.slice)
            longer.push_back(std::move(section));
        else
            add_section(longer.back(), section);
    }
    report.sections = std::move(longer);
    report.slice_s *= 2;
}

std::size_t section_bytes(const RankReport& report) {
    constexpr std::size_t numbers = 60;
    std::size_t bytes = 0;
    for (const RankReport::Section& section : report.sections)
        bytes += numbers + section.label.size() +
                 (section.sent.size() + section.fetched.size()) * sizeof(TrafficCell) +
                 section.collectives.size() * collective_bytes;
    return bytes;
}

void limit_sections(RankReport& report, std::size_t max_bytes) {
    while (report.sections.size() > 1 && section_bytes(report) > max_bytes) {
        if (report.slice_s > 0.0) {
            halve_slices(report);
            continue;
        }
        join_sections(report);
        report.phases_lost = true;
    }
}

std::string program_name(std::string_view command) {
    return std::string(command.substr(command.rfind('/') + 1).substr(0, RankReport::most_letters));
}

std::string encode_rank_report(const RankReport& report) {
    ByteWriter out;
    out.put(report.rank);
    out.put(report.node_id);
    out.put(report.application_id);
    out.put(report.program);
    out.put(report.node);
    out.put(report.cpus);
    out.put(report.locality);
    out.put(report.wall_s);
    out.put(report.mpi_s);
    out.put(static_cast<std::uint8_t>(report.finished));
    out.put(report.calls);
    out.put(report.waits);
    out.put(report.open_sends);
    out.put(report.early_messages.looked_at);
    out.put(report.early_messages.early);
    out.put(std::uint64_t{report.communicators.size()});
    for (const RankReport::Communicator& communicator : report.communicators) {
        out.put(communicator.key.high);
        out.put(communicator.key.low);
        out.put(communicator.members);
    }
    out.put(std::uint64_t{report.topologies.size()});
    for (const RankReport::Topology& topology : report.topologies) {
        out.put(topology.communicator);
        out.put(topology.dims);
        out.put(topology.periodic);
        out.put(topology.destinations);
    }
    out.put(report.slice_s);
    out.put(static_cast<std::uint8_t>(report.phases_lost));
    out.put(std::uint64_t{report.sections.size()});
    for (const RankReport::Section& section : report.sections) {
        out.put(section.label);
        out.put(section.slice);
        out.put(section.entered);
        out.put(section.wall_s);
        out.put(section.mpi_s);
        out.put(section.sent);
        out.put(section.fetched);
        out.put(std::uint64_t{section.collectives.size()});
        for (const RankReport::Collective& collective : section.collectives) {
            out.put(collective.communicator);
            out.put(static_cast<std::uint8_t>(collective.op));
            out.put(static_cast<std::uint8_t>(collective.in_peer_traffic));
            out.put(collective.root);
            out.put(collective.calls);
            out.put(collective.bytes);
            out.put(collective.bucket);
        }
    }
    put_round_collectives(out, report.round_collectives);
    put_rounds(out, report.rounds);
    return out.take();
}

Result<RankReport> decode_rank_report(std::string_view bytes) {
    ByteReader in(bytes);
    const Error damaged{Errc::corrupt, "the report of a rank is damaged"};
    RankReport report;
    report.rank = in.get<RankId>();
    report.node_id = in.get<std::uint32_t>();
    report.application_id = in.text();
    report.program = in.text();
    report.node = in.text();
    report.cpus = in.text();
    report.locality = in.text();
    report.wall_s = in.get<double>();
    report.mpi_s = in.get<double>();
    report.finished = in.get<std::uint8_t>() != 0;
    report.calls = in.vector<RankReport::Call>();
    report.waits = in.vector<PeerWait>();
    report.open_sends = in.vector<OpenSends>();
    report.early_messages.looked_at = in.get<std::uint64_t>();
    report.early_messages.early = in.get<std::uint64_t>();
    if (!is_possible(report.wall_s) || !is_possible(report.mpi_s) ||
        report.cpus.size() > max_cpus_letters ||
        !is_ascending(report.calls, &RankReport::Call::call) ||
        !is_ascending(report.waits, &PeerWait::peer) || !are_open_sends(report.open_sends) ||
        report.early_messages.early > report.early_messages.looked_at)
        return damaged;
    for (const PeerWait& wait : report.waits)
        if (!is_possible(static_cast<double>(wait.seconds))) return damaged;
    for (const RankReport::Call& call : report.calls)
        if (call.call >= num_mpi_calls || !is_possible(static_cast<double>(call.seconds)))
            return damaged;
    report.communicators.resize(in.length(24));
    for (RankReport::Communicator& communicator : report.communicators) {
        communicator.key.high = in.get<std::uint64_t>();
        communicator.key.low = in.get<std::uint64_t>();
        communicator.members = in.vector<RankId>();
    }
    report.topologies.resize(in.length(28));
    if (report.topologies.size() > ProcessTopology::most_of_rank) return damaged;
    std::size_t numbers = 0;
    for (RankReport::Topology& topology : report.topologies) {
        topology.communicator = in.get<std::uint32_t>();
        topology.dims = in.vector<std::uint32_t>();
        topology.periodic = in.vector<std::uint8_t>();
        topology.destinations = in.vector<RankId>();
        numbers += 2 * topology.dims.size() + topology.destinations.size();
        if (topology.communicator >= report.communicators.size() ||
            topology.dims.size() > ProcessTopology::most_dims ||
            topology.periodic.size() != topology.dims.size() ||
            (!topology.dims.empty() && !topology.destinations.empty()) ||
            numbers > ProcessTopology::most_numbers)
            return damaged;
    }
    report.slice_s = in.get<double>();
    report.phases_lost = in.get<std::uint8_t>() != 0;
    report.sections.resize(in.length(60));
    if (report.sections.empty() || report.sections.size() > RankReport::most_sections ||
        !is_time(report.slice_s) || report.slice_s > RankReport::longest_slice_s)
        return damaged;
    std::uint32_t next_slice = 0;
    double wall_s = 0.0;  // of all, which may become one
    double mpi_s = 0.0;
    for (RankReport::Section& section : report.sections) {
        section.label = in.text();
        section.slice = in.get<std::uint32_t>();
        section.entered = in.get<std::uint64_t>();
        section.wall_s = in.get<double>();
        section.mpi_s = in.get<double>();
        section.sent = in.vector<TrafficCell>();
        section.fetched = in.vector<TrafficCell>();
        if (!is_row(section.sent) || !is_row(section.fetched) ||
            section.slice >= RankReport::most_slices ||
            section.label.size() > RankReport::most_letters || !is_time(section.wall_s) ||
            !is_time(section.mpi_s) || (report.slice_s > 0.0 && section.slice < next_slice))
            return damaged;
        next_slice = section.slice + 1;
        wall_s += section.wall_s;
        mpi_s += section.mpi_s;
        section.collectives.resize(in.length(collective_bytes));
        for (RankReport::Collective& collective : section.collectives) {
            collective.communicator = in.get<std::uint32_t>();
            const auto op = in.get<std::uint8_t>();
            collective.in_peer_traffic = in.get<std::uint8_t>() != 0;
            collective.root = in.get<RankId>();
            collective.calls = in.get<std::uint64_t>();
            collective.bytes = in.get<std::uint64_t>();
            collective.bucket = in.get<std::uint8_t>();
            if (op >= static_cast<std::uint8_t>(CollectiveOp::count_) ||
                collective.communicator >= report.communicators.size() ||
                !is_collective_bucket(collective.bucket, collective.in_peer_traffic))
                return damaged;
            collective.op = static_cast<CollectiveOp>(op);
        }
        if (!is_ascending(section.collectives, &RankReport::Collective::key)) return damaged;
    }
    report.round_collectives = get_round_collectives(in);
    report.rounds = get_rounds(in);
    if (!in.at_end() || !is_possible(wall_s) || !is_possible(mpi_s)) return damaged;
    return report;
}

}  // namespace commmap
