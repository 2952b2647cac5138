#include "core/profile/profile_merge.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace commmap {
namespace {

using Key = RankReport::CommunicatorKey;

Status check_ranks(const std::vector<RankReport>& reports) {
    for (std::size_t i = 0; i < reports.size(); ++i) {
        if (reports[i].rank != i)
            return Error{Errc::invalid_input,
                         "rank " + std::to_string(i) + " did not report, or twice"};
        if (reports[i].application_id != reports[0].application_id)
            return Error{Errc::invalid_input, "rank " + std::to_string(i) + " runs '" +
                                                  reports[i].application_id + "' and rank 0 '" +
                                                  reports[0].application_id +
                                                  "': only a job of one executable has a profile"};
        for (const auto* traffic : {&reports[i].sent, &reports[i].fetched})
            for (const TrafficCell& with : *traffic)
                if (with.peer >= reports.size())
                    return Error{Errc::corrupt,
                                 "rank " + std::to_string(i) + " reports a peer out of range"};
    }
    return Ok{};
}

/// What each rank sent, and what others fetched from it.
TrafficMatrix collect_traffic(const std::vector<RankReport>& reports) {
    std::vector<std::vector<TrafficCell>> fetched(reports.size());
    for (const RankReport& report : reports)
        for (const TrafficCell& cell : report.fetched)
            fetched[cell.peer].push_back({report.rank, cell.bucket, cell.count, cell.bytes});
    TrafficMatrix matrix;
    std::vector<TrafficCell> row;
    for (const RankReport& report : reports) {
        row = report.sent;
        add_row(row, fetched[report.rank]);  // sorted: reports are by rank
        matrix.add_row(row);
    }
    return matrix;
}

void place_on_nodes(const std::vector<RankReport>& reports, Profile& profile) {
    const bool numbered = std::all_of(reports.begin(), reports.end(),
                                      [](const RankReport& r) { return r.node_id != no_id; });
    std::unordered_map<std::string, std::pair<std::uint32_t, RankId>>
        first;  // name -> (number, lowest rank)
    for (const RankReport& report : reports)
        first.try_emplace(report.node, numbered ? report.node_id : 0, report.rank);
    for (const auto& [name, where] : first) profile.nodes.push_back(name);
    std::sort(profile.nodes.begin(), profile.nodes.end(),
              [&](const std::string& a, const std::string& b) { return first[a] < first[b]; });
    std::unordered_map<std::string, std::uint32_t> index;
    for (const std::string& name : profile.nodes)
        index.emplace(name, static_cast<std::uint32_t>(index.size()));
    for (const RankReport& report : reports) profile.ranks[report.rank].node = index[report.node];
}

/// Fills profile.communicators; the map gives the index of each. Equal lists have equal keys, and
/// only one member sends the list, so there is nothing to compare.
Result<std::map<Key, std::uint32_t>> collect_communicators(std::vector<RankReport>& reports,
                                                           Profile& profile) {
    std::map<Key, std::vector<RankId>> lists;
    for (RankReport& report : reports)
        for (RankReport::Communicator& communicator : report.communicators) {
            if (communicator.members.empty()) continue;
            for (const RankId member : communicator.members)
                if (member >= reports.size())
                    return Error{Errc::corrupt,
                                 "rank " + std::to_string(report.rank) +
                                     " reports a communicator with a member out of range"};
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

Status collect_collectives(const std::vector<RankReport>& reports,
                           const std::map<Key, std::uint32_t>& index,
                           std::vector<CollectiveRecord>& collectives) {
    struct Sum {
        std::uint64_t calls_of_one = 0;
        std::uint64_t calls = 0;
        std::uint64_t bytes = 0;
    };
    std::map<std::tuple<std::uint32_t, CollectiveOp, RankId, bool>, Sum> sums;
    for (const RankReport& report : reports)
        for (const RankReport::Collective& collective : report.collectives) {
            if (collective.root != no_id && collective.root >= reports.size())
                return Error{Errc::corrupt, "rank " + std::to_string(report.rank) +
                                                " reports a root out of range"};
            const auto communicator = index.find(report.communicators[collective.communicator].key);
            if (communicator == index.end()) continue;
            Sum& sum = sums[{communicator->second, collective.op, collective.root,
                             collective.in_peer_traffic}];
            sum.calls_of_one = std::max(sum.calls_of_one, collective.calls);
            sum.calls += collective.calls;
            sum.bytes += collective.bytes;
        }
    for (const auto& [what, sum] : sums) {
        const auto& [communicator, op, root, in_peer_traffic] = what;
        if (sum.calls == 0) continue;
        const std::uint64_t rounded_up = sum.bytes % sum.calls >= sum.calls - sum.calls / 2 ? 1 : 0;
        collectives.push_back({.op = op,
                               .communicator = communicator,
                               .root = root,
                               .calls = sum.calls_of_one,
                               .bytes_per_call = sum.bytes / sum.calls + rounded_up,
                               .in_peer_traffic = in_peer_traffic});
    }
    return Ok{};
}

}  // namespace

Result<Profile> merge_rank_reports(std::vector<RankReport> reports) {
    std::sort(reports.begin(), reports.end(),
              [](const RankReport& a, const RankReport& b) { return a.rank < b.rank; });
    if (reports.empty()) return Error{Errc::invalid_input, "no rank reported"};
    if (Status s = check_ranks(reports); !s) return s.error();

    Profile profile;
    profile.application_id = reports[0].application_id;
    profile.ranks.resize(reports.size());
    place_on_nodes(reports, profile);
    for (RankReport& report : reports) {
        RankRecord& rank = profile.ranks[report.rank];
        rank.wall_s = report.wall_s;
        rank.mpi_s = report.mpi_s;
        rank.cpus = std::move(report.cpus);
    }
    Phase& phase = profile.phases.emplace_back();
    phase.sent = collect_traffic(reports);
    const auto index = collect_communicators(reports, profile);
    if (!index) return index.error();
    if (Status s = collect_collectives(reports, index.value(), phase.collectives); !s)
        return s.error();
    return profile;
}

}  // namespace commmap
