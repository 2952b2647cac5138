// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/plan/planner.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {

/// Two nodes of two PUs on one 100 MB/s switch, no latency anywhere that matters.
inline Cluster sample_cluster() {
    auto cluster = parse_cluster_yaml(R"(version: 1
links: {net: {bandwidth: 100 MB/s}}
node_classes:
  small: {hwloc: {synthetic: "core:2 pu:1"}, link: net,
          inside: {core: {bandwidth: 10 GB/s}, pu: {bandwidth: 10 GB/s}}}
switches: {s: {nodes: "n[0-1]", class: small}}
)",
                                      "sample.yaml");
    return std::move(cluster).value();
}

inline TrafficCell one_message(RankId peer, std::uint64_t bytes) {
    return {peer, static_cast<std::uint32_t>(size_bucket(bytes)), 1, bytes};
}

/// `bytes` from each rank to the one it is paired with, as one message, recorded in block order on
/// n0 and n1.
inline Profile paired_profile(const std::vector<RankId>& partner, std::uint64_t bytes,
                              double wall_s, double mpi_s) {
    Profile profile;
    profile.application_id = "build-id:00";
    profile.nodes = {"n0", "n1"};
    Phase& phase = profile.phases.emplace_back();
    for (std::size_t rank = 0; rank < partner.size(); ++rank) {
        ProfileRank record;
        record.wall_s = wall_s;
        record.mpi_s = mpi_s;
        record.node = static_cast<std::uint32_t>(rank / 2);
        profile.ranks.push_back(std::move(record));
        phase.sent.add_row(std::vector{one_message(partner[rank], bytes)});
    }
    return profile;
}

}  // namespace commmap
