// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/recording/profile_merge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/reduce_by_key.hpp"
#include "core/profile/format/profile_codec.hpp"
#include "core/profile/profile_checks.hpp"
#include "core/profile/recording/mpi_call_generated.hpp"
#include "core/profile/recording/slice_phases.hpp"
#include "core/program/application_id.hpp"
#include "core/program/content_id.hpp"

namespace commmap {
namespace {

using Key = RankRecord::CommunicatorKey;
using Section = RankRecord::Section;

Status check_records(const std::vector<RankRecord>& records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].rank != i)
            return Error{Errc::invalid_input, fmt::format("rank {} did not report, or twice", i)};
        if (Status s = check_ranks(records[i], records.size()); !s) return s;
    }
    return Ok{};
}

/// Names the programs of the ranks. The identity of several programs depends on which ranks run
/// what. A tag is the tag of them all.
void name_programs(const std::vector<RankRecord>& records, Profile& profile) {
    profile.application_id = records[0].application_id;
    std::unordered_map<std::string_view, std::uint32_t> index;
    std::string set;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const RankRecord& record = records[i];
        const auto [known, is_new] = index.try_emplace(
            record.application_id, static_cast<std::uint32_t>(profile.programs.size()));
        if (is_new) profile.programs.push_back({record.application_id, record.program});
        profile.ranks[record.rank].program = known->second;
        if (i == 0 || record.application_id != records[i - 1].application_id)
            set += fmt::format("{} {}\n", i, without_tag(record.application_id));
    }
    if (profile.programs.size() == 1) {
        profile.programs.clear();
        return;
    }
    const std::string hash = text_id(set);
    profile.application_id =
        with_tag("set:" + hash.substr(hash.find(':') + 1), tag_of(records[0].application_id));
    for (const Program& program : profile.programs)
        profile.command += (profile.command.empty() ? "" : " : ") + program.name;
}

/// Notes where in its node each rank ran. If no rank knows, the list stays empty.
void note_localities(const std::vector<RankRecord>& records, Profile& profile) {
    std::unordered_map<std::string_view, std::uint32_t> index;
    for (const RankRecord& record : records) {
        const auto [known, is_new] = index.try_emplace(
            record.locality, static_cast<std::uint32_t>(profile.localities.size()));
        if (is_new) profile.localities.push_back(record.locality);
        profile.ranks[record.rank].locality = known->second;
    }
    if (profile.localities.size() == 1 && profile.localities.front().empty())
        profile.localities.clear();
}

void place_on_nodes(const std::vector<RankRecord>& records, Profile& profile) {
    const bool numbered = std::all_of(records.begin(), records.end(),
                                      [](const RankRecord& r) { return r.node_id != no_id; });
    std::unordered_map<std::string, std::pair<std::uint32_t, RankId>>
        first;  // name -> (number, lowest rank)
    for (const RankRecord& record : records)
        first.try_emplace(record.node, numbered ? record.node_id : 0, record.rank);
    for (const auto& [name, where] : first) profile.nodes.push_back(name);
    std::sort(profile.nodes.begin(), profile.nodes.end(),
              [&](const std::string& a, const std::string& b) { return first[a] < first[b]; });
    std::unordered_map<std::string, std::uint32_t> index;
    for (const std::string& name : profile.nodes)
        index.emplace(name, static_cast<std::uint32_t>(index.size()));
    for (const RankRecord& record : records) profile.ranks[record.rank].node = index[record.node];
}

/// Fills profile.communicators, and returns the index of each communicator by its key. Lists are
/// not compared: equal lists have equal keys, and only one member sends its communicator's list.
std::map<Key, std::uint32_t> collect_communicators(std::vector<RankRecord>& records,
                                                   Profile& profile) {
    std::map<Key, std::vector<RankId>> lists;
    for (RankRecord& record : records)
        for (RankRecord::Communicator& communicator : record.communicators) {
            if (communicator.members.empty()) continue;
            lists.try_emplace(communicator.key, std::move(communicator.members));
        }
    std::vector<std::pair<std::vector<RankId>, Key>> sorted;
    sorted.reserve(lists.size());
    for (auto& [key, members] : lists) sorted.emplace_back(std::move(members), key);
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.first.size() != b.first.size() ? a.first.size() > b.first.size()
                                                : a.first < b.first;
    });
    std::map<Key, std::uint32_t> index;
    for (auto& [members, key] : sorted) {
        index.emplace(key, static_cast<std::uint32_t>(profile.communicators.size()));
        profile.communicators.push_back(std::move(members));
    }
    return index;
}

/// The sections of one phase: at most one of each rank, by rank.
using PhaseSections = std::vector<std::pair<const RankRecord*, Section>>;

/// Collects what each rank sent, and what others fetched from that rank. Keeps no cell twice for
/// long: cells are most of the records, and this process has work of its own.
/// @param sections  lose the cells that their ranks sent
TrafficMatrix collect_traffic(PhaseSections& sections, std::size_t num_ranks) {
    std::vector<std::vector<TrafficCell>> fetched(num_ranks);
    std::size_t num_cells = 0;
    for (const auto& [record, section] : sections) {
        num_cells += section.sent.size() + section.fetched.size();
        for (const TrafficCell& cell : section.fetched)
            fetched[cell.peer].push_back({record->rank, cell.bucket, cell.count, cell.bytes});
    }
    TrafficMatrix matrix;
    matrix.reserve(num_ranks, num_cells);
    auto next = sections.begin();
    for (RankId rank = 0; rank < num_ranks; ++rank) {
        std::vector<TrafficCell> row = std::move(fetched[rank]);
        if (next != sections.end() && next->first->rank == rank) {
            if (row.empty())
                row = std::move(next->second.sent);
            else
                add_row(row, std::exchange(next->second.sent, {}));
            ++next;
        }
        matrix.add_row(row);
    }
    return matrix;
}

CollectiveRecord::Key key_of(const RankRecord::Collective& collective, std::uint32_t communicator) {
    return {communicator, collective.op, collective.root, collective.in_peer_traffic,
            collective.bucket};
}

/// Adds up the collectives of a phase. Leaves `calls` to divide_calls(), because members may make
/// the same call in different phases.
std::vector<CollectiveRecord> collect_collectives(const PhaseSections& sections,
                                                  const std::map<Key, std::uint32_t>& index) {
    std::map<CollectiveRecord::Key, CollectiveRecord> sums;
    for (const auto& [record, section] : sections)
        for (const RankRecord::Collective& collective : section.collectives) {
            const auto communicator =
                index.find(record->communicators[collective.communicator].key);
            if (communicator == index.end()) continue;
            CollectiveRecord& sum = sums[key_of(collective, communicator->second)];
            sum.member_calls += collective.calls;
            sum.member_bytes += collective.bytes;
        }
    std::vector<CollectiveRecord> collectives;
    for (auto& [what, sum] : sums) {
        if (sum.member_calls == 0) continue;
        std::tie(sum.communicator, sum.op, sum.root, sum.in_peer_traffic, sum.bucket) = what;
        collectives.push_back(sum);
    }
    return collectives;
}

/// Returns the largest number of calls that one member made in the whole run.
std::map<CollectiveRecord::Key, std::uint64_t> most_calls(
    const std::vector<RankRecord>& records, const std::map<Key, std::uint32_t>& index) {
    std::map<CollectiveRecord::Key, std::uint64_t> most;
    for (const RankRecord& record : records) {
        std::map<CollectiveRecord::Key, std::uint64_t> mine;
        for (const Section& section : record.sections)
            for (const RankRecord::Collective& collective : section.collectives)
                if (const auto communicator =
                        index.find(record.communicators[collective.communicator].key);
                    communicator != index.end())
                    mine[key_of(collective, communicator->second)] += collective.calls;
        for (const auto& [what, calls] : mine) most[what] = std::max(most[what], calls);
    }
    return most;
}

/// Divides most_calls() among the phases, in proportion to the calls of all members in each phase.
/// The shares add up to most_calls() again.
void divide_calls(const std::map<CollectiveRecord::Key, std::uint64_t>& most,
                  std::vector<Phase>& phases) {
    struct Part {
        double before = 0.0;  ///< member calls of earlier phases
        double all = 0.0;
    };
    std::map<CollectiveRecord::Key, Part> parts;
    for (const Phase& phase : phases)
        for (const CollectiveRecord& record : phase.collectives)
            parts[record.key()].all += static_cast<double>(record.member_calls);
    for (Phase& phase : phases)
        for (CollectiveRecord& record : phase.collectives) {
            Part& part = parts[record.key()];
            const std::uint64_t calls = most.at(record.key());
            const auto until = [&](double member_calls) {
                if (member_calls >= part.all) return calls;
                const double share = static_cast<double>(calls) * (member_calls / part.all);
                const auto whole = static_cast<std::uint64_t>(share);  // std::round needs libm
                return share - static_cast<double>(whole) < 0.5 ? whole : whole + 1;
            };
            const std::uint64_t earlier = until(part.before);
            part.before += static_cast<double>(record.member_calls);
            record.calls = until(part.before) - earlier;
        }
}

/// Gives up phases when all ranks together have too many labels. Each rank has at most
/// RankRecord::most_sections labels, but ranks may have different labels.
void limit_labels(std::vector<RankRecord>& records) {
    std::set<std::string_view> labels;
    for (const RankRecord& record : records)
        for (const Section& section : record.sections) labels.insert(section.label);
    if (labels.size() <= max_profile_phases) return;
    for (RankRecord& record : records) record.phases_lost = true;
}

/// Makes the records agree on what a phase is:
/// - labels, if a rank has a label;
/// - else time slices, as long as the longest slices of a rank;
/// - else one phase for the whole run.
/// Ignores ranks without sections, because nothing is known of these ranks.
/// @return  length of the time slices; 0: there are none
double agree(std::vector<RankRecord>& records) {
    bool lost = false;
    bool labelled = false;
    bool sliced = true;
    double longest = 0.0;
    for (const RankRecord& record : records) {
        if (record.sections.empty()) continue;
        lost = lost || record.phases_lost;
        sliced = sliced && record.slice_s > 0.0;
        longest = std::max(longest, record.slice_s);
        for (const Section& section : record.sections)
            labelled = labelled || !section.label.empty();
    }
    for (RankRecord& record : records) {
        if (record.sections.empty()) continue;
        if (lost || (labelled ? record.slice_s > 0.0 : !sliced))
            join_sections(record);
        else
            while (record.slice_s > 0.0 && record.slice_s < longest) halve_slices(record);
    }
    return lost || labelled || !sliced ? 0.0 : longest;
}

/// Makes a phase for each label.
/// @return  index of each section's phase, as [rank][section]
std::vector<std::vector<std::uint32_t>> name_phases(const std::vector<RankRecord>& records,
                                                    std::vector<Phase>& phases) {
    std::vector<std::vector<std::uint32_t>> phase_of(records.size());
    for (std::size_t rank = 0; rank < records.size(); ++rank)
        for (const Section& section : records[rank].sections) {
            const auto known = std::find_if(phases.begin(), phases.end(), [&](const Phase& phase) {
                return phase.label == section.label;
            });
            phase_of[rank].push_back(static_cast<std::uint32_t>(known - phases.begin()));
            if (known == phases.end()) phases.emplace_back().label = section.label;
        }
    return phase_of;
}

std::vector<std::vector<std::uint32_t>> find_phases(const std::vector<RankRecord>& records,
                                                    double slice_s, std::vector<Phase>& phases) {
    const std::vector<std::uint32_t> of_slice = phases_of_slices(records);
    double end_s = 0.0;
    for (const RankRecord& record : records) end_s = std::max(end_s, record.wall_s);
    for (std::size_t slice = 0; slice < of_slice.size(); ++slice) {
        if (of_slice[slice] >= phases.size()) phases.resize(of_slice[slice] + 1);
        Phase& phase = phases[of_slice[slice]];
        const double begin = static_cast<double>(slice) * slice_s;
        // The last slice goes on to the end of the run.
        const double end = slice + 1 == of_slice.size() ? std::max(begin, end_s) : begin + slice_s;
        phase.wall_s += end - begin;
        if (slice > 0 && of_slice[slice - 1] == of_slice[slice])
            phase.times.back().end_s = end;
        else
            phase.times.push_back({begin, end});
    }
    if (phases.size() == 1) phases[0].times.clear();
    std::vector<std::vector<std::uint32_t>> phase_of(records.size());
    for (std::size_t rank = 0; rank < records.size(); ++rank)
        for (const Section& section : records[rank].sections)
            phase_of[rank].push_back(of_slice[section.slice]);
    return phase_of;
}

/// Returns how long a phase of time slices was for a rank that ended at rank_wall_s.
double time_in(const Phase& phase, double rank_wall_s) {
    double seconds = 0.0;
    for (const TimeRange& time : phase.times)
        seconds += std::max(0.0, std::min(time.end_s, rank_wall_s) - time.begin_s);
    return seconds;
}

/// Returns each rank's times in a phase.
/// @param by_time  the phase is of time slices, in which a rank without calls computed
std::vector<PhaseTime> rank_times_of(const Phase& phase, const PhaseSections& sections,
                                     bool by_time, const std::vector<RankRecord>& records) {
    std::vector<PhaseTime> times(records.size());
    if (by_time)
        for (const RankRecord& record : records)
            if (!record.sections.empty())
                times[record.rank].wall_s = static_cast<float>(time_in(phase, record.wall_s));
    for (const auto& [record, section] : sections) {
        PhaseTime& time = times[record->rank];
        if (!by_time) time.wall_s = static_cast<float>(section.wall_s);
        time.mpi_s = static_cast<float>(section.mpi_s);
        if (by_time) time.mpi_s = std::min(time.mpi_s, time.wall_s);
    }
    return times;
}

/// Fills profile.phases.
Status collect_phases(std::vector<RankRecord>& records, const std::map<Key, std::uint32_t>& index,
                      Profile& profile) {
    limit_labels(records);
    for (const RankRecord& record : records)
        profile.phases_lost = profile.phases_lost || record.phases_lost;
    profile.slice_s = agree(records);
    const auto most = most_calls(records, index);
    const bool by_time = profile.slice_s > 0.0;
    const auto phase_of = by_time ? find_phases(records, profile.slice_s, profile.phases)
                                  : name_phases(records, profile.phases);
    if (profile.phases.empty()) profile.phases.emplace_back();
    const auto num_ranks = static_cast<double>(std::max<std::ptrdiff_t>(
        1, std::count_if(records.begin(), records.end(),
                         [](const RankRecord& record) { return !record.sections.empty(); })));
    for (std::uint32_t id = 0; id < profile.phases.size(); ++id) {
        Phase& phase = profile.phases[id];
        PhaseSections sections;
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            std::vector<Section>& all = records[rank].sections;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (phase_of[rank][i] != id) continue;
                if (sections.empty() || sections.back().first != &records[rank])
                    sections.emplace_back(&records[rank], std::move(all[i]));
                else
                    add_section(sections.back().second, all[i]);
            }
        }
        if (profile.phases.size() > 1)
            phase.rank_times = rank_times_of(phase, sections, by_time, records);
        for (const auto& [record, section] : sections) {
            phase.mpi_s += section.mpi_s / num_ranks;
            if (!by_time) phase.wall_s += section.wall_s / num_ranks;
            phase.entered = std::max(phase.entered, section.entered);
        }
        // A rank that was killed in a long call has all time of the call in the call's first slice.
        if (by_time) phase.mpi_s = std::min(phase.mpi_s, phase.wall_s);
        phase.sent = collect_traffic(sections, records.size());
        phase.collectives = collect_collectives(sections, index);
        // Checks roots also in communicators whose members only another rank has sent.
        if (Status s = check_collectives(phase.collectives, profile.communicators, records.size());
            !s)
            return s;
    }
    divide_calls(most, profile.phases);
    return Ok{};
}

template <class Value, class Key, class Add>
void sort_and_reduce_by_key(std::vector<Value>& values, Key&& key, Add&& add) {
    std::sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
        return std::invoke(key, a) < std::invoke(key, b);
    });
    values.resize(reduce_by_key(std::span(values), key, add));
}

/// Collects the rounds of all ranks, and gives communicators and collectives the profile's numbers.
/// Returns no rounds if a communicator is not known, or there are too many ranks.
Rounds collect_rounds(std::vector<RankRecord>& records, const std::map<Key, std::uint32_t>& index) {
    using CollectiveKey = decltype(RoundCollective().key());
    if (records.size() > Rounds::most_ranks) return {};
    const std::size_t most_listed = Rounds::most_listed(records.size());
    std::map<CollectiveKey, std::uint32_t> number_of;
    std::vector<std::vector<std::uint32_t>> communicators(records.size());
    for (RankRecord& record : records) {
        for (const RankRecord::Communicator& communicator : record.communicators) {
            const auto known = index.find(communicator.key);
            communicators[record.rank].push_back(known == index.end() ? no_id : known->second);
        }
        for (RoundCollective& collective : record.round_collectives) {
            collective.communicator = communicators[record.rank][collective.communicator];
            number_of.emplace(collective.key(), 0);
        }
    }
    Rounds rounds;
    for (auto& [key, number] : number_of) {
        number = static_cast<std::uint32_t>(rounds.collectives.size());
        RoundCollective& collective = rounds.collectives.emplace_back();
        std::tie(collective.communicator, collective.op, collective.root,
                 collective.in_peer_traffic, collective.bucket) = key;
        if (collective.communicator == no_id) return {};
    }
    for (RankRecord& record : records) {
        RankRounds& of_rank = rounds.ranks.emplace_back(std::move(record.rounds));
        if (record.sections.empty()) of_rank.unclear = true;  // nothing is known of this rank
        of_rank.order.resize(std::min(of_rank.order.size(), most_listed));
        for (Signature& signature : of_rank.signatures) {
            for (Signature::Begun& begun : signature.collectives)
                begun.collective = number_of[record.round_collectives[begun.collective].key()];
            // Two communicators of a rank may have the same members.
            sort_and_reduce_by_key(signature.collectives, &Signature::Begun::collective,
                                   [](Signature::Begun& to, const Signature::Begun& from) {
                                       to.calls += from.calls;
                                       to.bytes += from.bytes;
                                   });
            for (Signature::Meeting& meeting : signature.meetings) {
                meeting.communicator = communicators[record.rank][meeting.communicator];
                if (meeting.communicator == no_id) return {};
            }
            sort_and_reduce_by_key(signature.meetings, &Signature::Meeting::communicator,
                                   [](Signature::Meeting& to, const Signature::Meeting& from) {
                                       to.begun += from.begun;
                                       to.completed += from.completed;
                                   });
        }
    }
    return rounds;
}

/// @param parts  a topology as each member of its communicator reports it
/// @return  nullopt: the members disagree. That happens only when threads make topologies of
///          several communicators with the same members at once.
std::optional<ProcessTopology> topology_of(std::uint32_t communicator,
                                           std::span<RankRecord::Topology* const> parts) {
    const RankRecord::Topology& first = *parts.front();
    for (const RankRecord::Topology* part : parts)
        if (part->dims != first.dims || part->periodic != first.periodic) return std::nullopt;
    if (!first.dims.empty() && !is_grid(first.dims, first.periodic, parts.size()))
        return std::nullopt;
    ProcessTopology topology{communicator, first.dims, first.periodic, {}};
    if (first.dims.empty())
        for (RankRecord::Topology* part : parts)
            topology.destinations.push_back(std::move(part->destinations));
    return topology;
}

/// Collects the topologies that all members of a communicator record. The members make a
/// communicator's topologies in the same order, and each member reports the first of them.
std::vector<ProcessTopology> collect_topologies(
    std::vector<RankRecord>& records, const std::map<Key, std::uint32_t>& index,
    const std::vector<std::vector<RankId>>& communicators) {
    using Part = std::pair<RankId, RankRecord::Topology*>;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Part>> made;
    for (RankRecord& record : records) {
        std::map<std::uint32_t, std::uint32_t> next;
        for (RankRecord::Topology& topology : record.topologies) {
            const auto known = index.find(record.communicators[topology.communicator].key);
            if (known == index.end()) continue;
            made[{known->second, next[known->second]++}].emplace_back(record.rank, &topology);
        }
    }
    std::vector<ProcessTopology> topologies;
    for (auto& [which, parts] : made) {
        const std::vector<RankId>& members = communicators[which.first];
        std::vector<RankRecord::Topology*> of_members;  // parts are sorted by rank
        for (const RankId member : members) {
            const auto part =
                std::lower_bound(parts.begin(), parts.end(), member,
                                 [](const Part& with, RankId rank) { return with.first < rank; });
            if (part != parts.end() && part->first == member) of_members.push_back(part->second);
        }
        if (of_members.size() < members.size() || topologies.size() == ProcessTopology::most_of_run)
            continue;
        if (auto topology = topology_of(which.first, of_members))
            topologies.push_back(std::move(*topology));
    }
    return topologies;
}

/// Collects the names of all calls that were made, in the order of MpiCall, and each rank's times.
void collect_calls(const std::vector<RankRecord>& records, Profile& profile) {
    std::map<std::uint32_t, std::uint32_t> index;
    for (const RankRecord& record : records)
        for (const RankRecord::Call& call : record.calls) index.emplace(call.call, 0);
    for (auto& [call, place] : index) {
        place = static_cast<std::uint32_t>(profile.call_names.size());
        profile.call_names.emplace_back(mpi_call_names[call]);
    }
    for (const RankRecord& record : records)
        for (const RankRecord::Call& call : record.calls)
            profile.ranks[record.rank].calls.push_back(
                {index[call.call], call.seconds, call.count, call.bytes});
}

}  // namespace

Result<Profile> merge_rank_records(std::vector<RankRecord> records) {
    std::sort(records.begin(), records.end(),
              [](const RankRecord& a, const RankRecord& b) { return a.rank < b.rank; });
    if (records.empty()) return Error{Errc::invalid_input, "no rank reported"};
    if (Status s = check_records(records); !s) return s.error();

    Profile profile;
    profile.ranks.resize(records.size());
    name_programs(records, profile);
    note_localities(records, profile);
    place_on_nodes(records, profile);
    collect_calls(records, profile);
    for (RankRecord& record : records) {
        ProfileRank& rank = profile.ranks[record.rank];
        rank.wall_s = record.wall_s;
        rank.mpi_s = record.mpi_s;
        rank.cpus = std::move(record.cpus);
        rank.waits = std::move(record.waits);
        rank.open_sends = std::move(record.open_sends);
        rank.early_messages = record.early_messages;
    }
    const auto index = collect_communicators(records, profile);
    if (Status s = collect_phases(records, index, profile); !s) return s.error();
    profile.topologies = collect_topologies(records, index, profile.communicators);
    profile.rounds = collect_rounds(records, index);
    return profile;
}

}  // namespace commmap
