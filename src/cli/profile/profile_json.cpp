// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_json.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

namespace commmap::cli {

namespace {

using nlohmann::json;

/// Returns messages and bytes by size bucket, for each peer.
json sent_by(std::span<const TrafficCell> row) {
    json sent = json::array();
    std::array<std::uint64_t, num_size_buckets> count{};
    std::array<std::uint64_t, num_size_buckets> bytes{};
    for (std::size_t i = 0; i < row.size(); ++i) {
        count[row[i].bucket] = row[i].count;
        bytes[row[i].bucket] = row[i].bytes;
        if (i + 1 < row.size() && row[i + 1].peer == row[i].peer) continue;
        sent.push_back({{"peer", row[i].peer}, {"messages", count}, {"bytes", bytes}});
        count.fill(0);
        bytes.fill(0);
    }
    return sent;
}

json to_json(const std::vector<CollectiveRecord>& records) {
    json collectives = json::array();
    for (const CollectiveRecord& record : records) {
        collectives.push_back({{"operation", collective_name(record.op)},
                               {"communicator", record.communicator},
                               {"root", record.root == no_id ? json(nullptr) : json(record.root)},
                               {"calls", record.calls},
                               {"bytes_per_call", record.bytes_per_call()},
                               {"size_bucket", record.bucket},
                               {"in_peer_traffic", record.in_peer_traffic}});
    }
    return collectives;
}

json to_json(const Signature& signature) {
    json received = json::array();
    for (const Signature::Received& from : signature.received)
        received.push_back({{"peer", from.peer}, {"messages_a_round", from.count}});
    json collectives = json::array();
    for (const Signature::Begun& begun : signature.collectives)
        collectives.push_back(
            {{"collective", begun.collective}, {"calls", begun.calls}, {"bytes", begun.bytes}});
    json meetings = json::array();
    for (const Signature::Meeting& meeting : signature.meetings)
        meetings.push_back({{"communicator", meeting.communicator},
                            {"begun_a_round", meeting.begun},
                            {"completed_a_round", meeting.completed}});
    return {{"rounds", signature.rounds},
            {"seconds", signature.seconds},
            {"before_wait_s", signature.before_wait_s},
            {"sent", sent_by(signature.sent)},
            {"put", sent_by(signature.put)},
            {"fetched", sent_by(signature.fetched)},
            {"received", std::move(received)},
            {"collectives", std::move(collectives)},
            {"meetings", std::move(meetings)}};
}

/// Returns rounds as JSON: see docs/developer/steps.md.
json to_json(const Rounds& rounds) {
    json collectives = json::array();
    for (const RoundCollective& collective : rounds.collectives)
        collectives.push_back(
            {{"operation", collective_name(collective.op)},
             {"communicator", collective.communicator},
             {"root", collective.root == no_id ? json(nullptr) : json(collective.root)},
             {"size_bucket", collective.bucket},
             {"in_peer_traffic", collective.in_peer_traffic}});
    json ranks = json::array();
    for (const RankRounds& rank : rounds.ranks) {
        json signatures = json::array();
        for (const Signature& signature : rank.signatures) signatures.push_back(to_json(signature));
        json successions = json::array();
        for (const RankRounds::Succession& succession : rank.successions)
            successions.push_back(
                {{"from", succession.from}, {"to", succession.to}, {"count", succession.count}});
        ranks.push_back({{"signatures", std::move(signatures)},
                         {"other_rounds", rank.other_rounds},
                         {"order", rank.order},
                         {"successions", std::move(successions)},
                         {"unclear", rank.unclear}});
    }
    return {{"collectives", std::move(collectives)}, {"ranks", std::move(ranks)}};
}

json to_json(const std::vector<ProcessTopology>& all) {
    json topologies = json::array();
    for (const ProcessTopology& topology : all) {
        json of_one = {{"communicator", topology.communicator}};
        if (topology.dims.empty()) {
            of_one["destinations_of_members"] = topology.destinations;
        } else {
            of_one["dims"] = topology.dims;
            json periodic = json::array();
            for (const std::uint8_t is_periodic : topology.periodic)
                periodic.push_back(is_periodic != 0);
            of_one["periodic"] = std::move(periodic);
        }
        topologies.push_back(std::move(of_one));
    }
    return topologies;
}

}  // namespace

std::string profile_to_json(const Profile& profile) {
    json buckets = json::array();
    for (std::size_t i = 0; i + 1 < num_size_buckets; ++i) buckets.push_back(bucket_limit_bytes(i));
    const Phase whole = whole_run(profile);
    json phases = json::array();
    for (const Phase& phase : profile.phases) {
        json times = json::array();
        for (const TimeRange& time : phase.times) times.push_back({time.begin_s, time.end_s});
        json sent = json::array();
        for (RankId rank = 0; rank < profile.num_ranks(); ++rank)
            sent.push_back(sent_by(phase.sent.sent_by(rank)));
        json rank_times = json::array();
        for (const PhaseTime& time : phase.rank_times)
            rank_times.push_back({{"wall_s", time.wall_s}, {"mpi_s", time.mpi_s}});
        phases.push_back({{"label", phase.label},
                          {"wall_s", phase.wall_s},
                          {"mpi_s", phase.mpi_s},
                          {"times_of_ranks", std::move(rank_times)},
                          {"entered", phase.entered},
                          {"times_s", std::move(times)},
                          {"collectives", to_json(phase.collectives)},
                          {"sent_by_rank", std::move(sent)}});
    }
    json ranks = json::array();
    for (RankId id = 0; id < profile.num_ranks(); ++id) {
        const ProfileRank& rank = profile.ranks[id];
        json calls = json::object();
        for (const CallTime& time : rank.calls) {
            json& call = calls[profile.call_names[time.call]];
            call = {{"calls", time.count}, {"seconds", time.seconds}};
            if (time.bytes > 0) call["file_bytes"] = time.bytes;
        }
        json waits = json::array();
        for (const PeerWait& wait : rank.waits)
            waits.push_back(
                {{"peer", wait.peer}, {"calls", wait.calls}, {"seconds", wait.seconds}});
        json open_sends = json::array();
        for (const OpenSends& of_size : rank.open_sends)
            open_sends.push_back({{"size_bucket", of_size.bucket},
                                  {"sends", of_size.sends},
                                  {"others_open", of_size.others},
                                  {"most_open", of_size.most}});
        ranks.push_back(
            {{"wall_s", rank.wall_s},
             {"mpi_s", rank.mpi_s},
             {"node", profile.nodes[rank.node]},
             {"cpus", rank.cpus},
             {"locality",
              profile.localities.empty() ? json(nullptr) : json(profile.localities[rank.locality])},
             {"program", rank.program},
             {"calls", std::move(calls)},
             {"waits", std::move(waits)},
             {"open_sends", std::move(open_sends)},
             {"early_messages",
              {{"looked_at", rank.early_messages.looked_at}, {"early", rank.early_messages.early}}},
             {"sent", sent_by(whole.sent.sent_by(id))}});
    }
    json programs = json::array();
    for (const Program& program : profile.programs)
        programs.push_back({{"application_id", program.application_id}, {"name", program.name}});
    const json document = {{"application_id", profile.application_id},
                           {"command", profile.command},
                           {"mpi_library", profile.mpi_library},
                           {"recorder_version", profile.recorder_version},
                           {"recorded_unix_s", profile.recorded_unix_s},
                           {"job_id", profile.job_id},
                           {"step_id", profile.step_id},
                           {"runs", profile.runs},
                           {"programs", std::move(programs)},
                           {"complete", profile.complete},
                           {"missing_ranks", profile.missing},
                           {"size_bucket_limits_bytes", std::move(buckets)},
                           {"nodes", profile.nodes},
                           {"communicators", profile.communicators},
                           {"topologies", to_json(profile.topologies)},
                           {"collectives", to_json(whole.collectives)},
                           {"time_slice_s", profile.slice_s},
                           {"phases_lost", profile.phases_lost},
                           {"phases", std::move(phases)},
                           {"rounds", to_json(profile.rounds)},
                           {"ranks", std::move(ranks)}};
    // Paths need not be UTF-8. Bytes that JSON cannot hold are replaced: an export must not fail
    // over a file name.
    return document.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace commmap::cli
