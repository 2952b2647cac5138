// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/rank_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/reduce_by_key.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/profile/rounds_checks.hpp"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

/// Tells whether all members are ranks of the run, and no rank is there twice.
/// @param sorted  gets the members in ascending order
bool are_members(std::vector<RankId> members, std::size_t num_ranks, std::vector<RankId>& sorted) {
    std::sort(members.begin(), members.end());
    sorted = std::move(members);
    return (sorted.empty() || sorted.back() < num_ranks) &&
           std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

}  // namespace

Status check_ranks(const RankRecord& record, std::size_t num_ranks) {
    const auto refuse = [&](const char* what) {
        return corrupt(fmt::format("rank {} records {}", record.rank, what));
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
    return check_rounds(fmt::format("rank {}", record.rank), record.rounds, limits);
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
    constexpr std::size_t numbers = 40;
    constexpr std::size_t cell_bytes = 21;
    constexpr std::size_t collective_bytes = 28;
    std::size_t bytes = 0;
    for (const RankRecord::Section& section : record.sections)
        bytes += numbers + section.label.size() +
                 (section.sent.size() + section.fetched.size()) * cell_bytes +
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

}  // namespace commmap
