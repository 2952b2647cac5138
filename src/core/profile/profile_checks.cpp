// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/profile_checks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace commmap {
namespace {

std::string of(std::uint64_t index, std::size_t size) {
    return fmt::format("{} of {}", index, size);
}

/// Checks that roots are members. Goes communicator by communicator, so that the cost stays linear
/// whatever the file says.
Status check_roots(const std::vector<CollectiveRecord>& collectives,
                   const std::vector<std::vector<RankId>>& communicators, std::size_t num_ranks) {
    std::vector<std::uint32_t> order(collectives.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return collectives[a].communicator < collectives[b].communicator;
    });
    std::vector<std::uint32_t> member_of(num_ranks, no_id);
    std::uint32_t current = no_id;
    for (const std::uint32_t id : order) {
        const CollectiveRecord& record = collectives[id];
        if (std::exchange(current, record.communicator) != record.communicator)
            for (const RankId rank : communicators[current]) member_of[rank] = current;
        if (record.root != no_id && member_of[record.root] != current)
            return corrupt(fmt::format(
                "collective {} has root {}, not a member of its communicator", id, record.root));
    }
    return Ok{};
}

}  // namespace

Error corrupt(std::string what) { return Error{Errc::corrupt, std::move(what)}; }

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0.0; }

bool is_row(const std::vector<TrafficCell>& cells) {
    return is_ascending(cells, &TrafficCell::key) &&
           std::ranges::all_of(cells, [](const TrafficCell& cell) {
               return cell.bucket < num_size_buckets && cell.count > 0;
           });
}

Status check_times(const std::string& name, const Phase& phase) {
    double last = 0.0;
    bool possible = is_time(phase.wall_s) && is_time(phase.mpi_s);
    for (const TimeRange& time : phase.times) {
        possible = possible && is_time(time.begin_s) && is_time(time.end_s) &&
                   time.begin_s >= last && time.end_s >= time.begin_s;
        last = time.end_s;
    }
    return possible ? Status(Ok{}) : corrupt(name + " has an impossible time");
}

Status check_rank_times(const std::string& name, std::span<const PhaseTime> times) {
    const bool possible = std::ranges::all_of(times, [](const PhaseTime& time) {
        return is_time(static_cast<double>(time.wall_s)) &&
               is_time(static_cast<double>(time.mpi_s));
    });
    return possible ? Status(Ok{}) : corrupt(name + " has an impossible time of a rank");
}

Status check_rank(const std::string& name, const ProfileRank& rank, const Profile& head) {
    if (!is_time(rank.wall_s) || !is_time(rank.mpi_s))
        return corrupt(name + " has an impossible time");
    if (rank.node >= head.nodes.size())
        return corrupt(fmt::format("{} ran on node {}", name, of(rank.node, head.nodes.size())));
    if (rank.locality >= std::max<std::size_t>(1, head.localities.size()))
        return corrupt(
            fmt::format("{} has locality {}", name, of(rank.locality, head.localities.size())));
    if (rank.program >= std::max<std::size_t>(1, head.programs.size()))
        return corrupt(
            fmt::format("{} runs program {}", name, of(rank.program, head.programs.size())));
    if (rank.early_messages.early > rank.early_messages.looked_at)
        return corrupt(name + " has more early messages than receives");
    return Ok{};
}

Status check_calls(const std::string& name, const ProfileRank& rank, std::size_t num_names) {
    std::uint64_t next = 0;
    for (const CallTime& time : rank.calls) {
        if (time.call >= num_names || time.call < next)
            return corrupt(name + " has calls that are none");
        if (!is_time(static_cast<double>(time.seconds)))
            return corrupt(name + " has an impossible time");
        next = std::uint64_t{time.call} + 1;
    }
    return Ok{};
}

Status check_waits(const std::string& name, std::span<const PeerWait> waits,
                   std::size_t num_ranks) {
    std::uint64_t next = 0;
    for (const PeerWait& wait : waits) {
        if (wait.peer >= num_ranks || wait.peer < next)
            return corrupt(name + " waited for ranks out of order");
        if (!is_time(static_cast<double>(wait.seconds)))
            return corrupt(name + " has an impossible time");
        next = std::uint64_t{wait.peer} + 1;
    }
    return Ok{};
}

bool are_open_sends(const std::vector<OpenSends>& open_sends) {
    return is_ascending(open_sends, &OpenSends::bucket) &&
           std::ranges::all_of(open_sends, [](const OpenSends& of_size) {
               return of_size.bucket < num_size_buckets && of_size.sends > 0;
           });
}

Status check_row(RankId rank, std::span<const TrafficCell> row, std::size_t num_ranks) {
    const auto name = [&] { return fmt::format("rank {}", rank); };
    std::uint64_t next = 0;
    for (const TrafficCell& cell : row) {
        if (cell.peer >= num_ranks)
            return corrupt(fmt::format("rank {} sends to rank {}", rank, of(cell.peer, num_ranks)));
        if (cell.bucket >= num_size_buckets || cell.count == 0)
            return corrupt(name() + " has a bad size bucket");
        if (cell.key() < next) return corrupt(name() + " has peers out of order");
        next = cell.key() + 1;
    }
    return Ok{};
}

Status check_communicators(const std::vector<std::vector<RankId>>& communicators,
                           std::size_t num_ranks) {
    std::vector<std::uint32_t> last_seen_in(num_ranks, no_id);
    for (std::uint32_t id = 0; id < communicators.size(); ++id) {
        const std::string name = fmt::format("communicator {}", id);
        if (communicators[id].empty()) return corrupt(name + " is empty");
        for (const RankId member : communicators[id]) {
            if (member >= num_ranks)
                return corrupt(fmt::format("{} has rank {}", name, of(member, num_ranks)));
            if (std::exchange(last_seen_in[member], id) == id)
                return corrupt(fmt::format("{} has rank {} twice", name, member));
        }
    }
    return Ok{};
}

Status check_collectives(const std::vector<CollectiveRecord>& collectives,
                         const std::vector<std::vector<RankId>>& communicators,
                         std::size_t num_ranks) {
    for (std::uint32_t id = 0; id < collectives.size(); ++id) {
        const CollectiveRecord& record = collectives[id];
        const std::string name = fmt::format("collective {}", id);
        if (record.op >= CollectiveOp::count_) return corrupt(name + " is an unknown operation");
        if (record.communicator >= communicators.size())
            return corrupt(fmt::format("{} is on communicator {}", name,
                                       of(record.communicator, communicators.size())));
        if (record.root != no_id && record.root >= num_ranks)
            return corrupt(fmt::format("{} has root {}", name, of(record.root, num_ranks)));
        if (!is_collective_bucket(record.bucket, record.in_peer_traffic))
            return corrupt(name + " has a bad size bucket");
    }
    return check_roots(collectives, communicators, num_ranks);
}

Status check_missing(const std::vector<RankId>& missing, bool complete, std::size_t num_ranks) {
    std::uint64_t next = 0;
    for (const RankId rank : missing) {
        if (rank >= num_ranks || rank < next || complete)
            return corrupt("it has a wrong list of missing ranks");
        next = std::uint64_t{rank} + 1;
    }
    return Ok{};
}

}  // namespace commmap
