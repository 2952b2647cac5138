#include "cli/profile_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace commmap::cli {

std::string profile_to_json(const Profile& profile) {
    using nlohmann::json;
    json buckets = json::array();
    for (std::size_t i = 0; i + 1 < num_size_buckets; ++i) buckets.push_back(bucket_limit_bytes(i));
    json collectives = json::array();
    for (const CollectiveRecord& record : profile.collectives) {
        collectives.push_back({{"operation", collective_name(record.op)},
                               {"communicator", record.communicator},
                               {"root", record.root == no_id ? json(nullptr) : json(record.root)},
                               {"calls", record.calls},
                               {"bytes_per_call", record.bytes_per_call},
                               {"in_peer_traffic", record.in_peer_traffic}});
    }
    json ranks = json::array();
    for (const RankRecord& rank : profile.ranks) {
        json sent = json::array();
        for (const PeerTraffic& peer : rank.sent) {
            sent.push_back({{"peer", peer.peer}, {"messages", peer.count}, {"bytes", peer.bytes}});
        }
        ranks.push_back({{"wall_s", rank.wall_s},
                         {"mpi_s", rank.mpi_s},
                         {"node", profile.nodes[rank.node]},
                         {"cpus", rank.cpus},
                         {"sent", std::move(sent)}});
    }
    const json document = {{"application_id", profile.application_id},
                           {"command", profile.command},
                           {"mpi_library", profile.mpi_library},
                           {"recorder_version", profile.recorder_version},
                           {"recorded_unix_s", profile.recorded_unix_s},
                           {"job_id", profile.job_id},
                           {"step_id", profile.step_id},
                           {"complete", profile.complete},
                           {"missing_ranks", profile.missing},
                           {"size_bucket_limits_bytes", std::move(buckets)},
                           {"nodes", profile.nodes},
                           {"communicators", profile.communicators},
                           {"collectives", std::move(collectives)},
                           {"ranks", std::move(ranks)}};
    // Paths need not be UTF-8: what JSON cannot hold is replaced, an export must not fail over a
    // file name.
    return document.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace commmap::cli
