// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <new>
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

constexpr std::uint64_t heavy = 100'000'000;

/// Plans the profile of four ranks on the sample cluster.
inline Result<Plan> plan_for(const Profile& profile, const PlannerOptions& options = {}) {
    const Cluster cluster = sample_cluster();
    const auto scenario = make_scenario(profile, cluster, whole_cluster(cluster), 4);
    if (!scenario) return scenario.error();
    return make_plan(scenario.value(), profile, cluster, options);
}

inline Result<Mapping> map_without_memory(const MappingProblem& /*problem*/,
                                          const MapperOptions& /*options*/) {
    throw std::bad_alloc();
}

/// The heaviest pair leaves two others apart, which together are more.
inline Profile trap_for_greedy() {
    Profile profile = paired_profile({2, 0, 3, 3}, 0, 10.0, 9.0);
    profile.phases[0].sent = TrafficMatrix({{one_message(1, heavy * 9 / 10), one_message(2, heavy)},
                                            {},
                                            {one_message(3, heavy * 9 / 10)},
                                            {}});
    return profile;
}

/// Two switches of two nodes; all links alike.
/// @param pus  of each node
inline Cluster two_switches(std::uint32_t pus = 1) {
    return parse_cluster_yaml(fmt::format(R"(version: 1
links: {{net: {{bandwidth: 100 MB/s}}}}
node_classes:
  same: {{hwloc: {{synthetic: "core:{} pu:1"}}, link: net}}
switches:
  core: {{switches: [s0, s1]}}
  s0: {{nodes: "n[0-1]", class: same, link: net}}
  s1: {{nodes: "n[2-3]", class: same, link: net}}
)",
                                          pus),
                              "switches.yaml")
        .value();
}

/// Rank 0 sends to 2, and 1 to 3. In Slurm's order both messages go over the uplink.
/// @param together  both at once; else 1 waits for 3's answer to begin, and 3 for 2's
inline Profile crossing(bool together) {
    Profile profile = paired_profile({2, 3, 2, 3}, 0, 2.2, 1.98);
    profile.nodes = {"n0", "n1", "n2", "n3"};
    for (RankId rank = 0; rank < 4; ++rank) profile.ranks[rank].node = rank;
    profile.phases[0].sent =
        TrafficMatrix({{one_message(2, heavy)}, {one_message(3, heavy)}, {}, {}});
    profile.rounds.ranks.resize(4);
    const auto add = [&](RankId rank, Signature signature) {
        RankRounds& rounds = profile.rounds.ranks[rank];
        signature.rounds = 1;
        rounds.order.push_back(static_cast<std::uint8_t>(rounds.signatures.size()));
        rounds.signatures.push_back(std::move(signature));
    };
    Signature send0;
    send0.sent = {one_message(2, heavy)};
    Signature send1;
    send1.sent = {one_message(3, heavy)};
    Signature meet;
    meet.meetings = {{0, 1, 1}};
    profile.communicators = {{0, 1}};
    add(0, send0);
    if (!together) {
        add(0, meet);
        add(1, meet);
    }
    add(1, send1);
    for (const RankId rank : {0U, 1U}) {
        Signature receive;
        receive.received = {{rank, 1}};
        add(rank + 2, receive);
    }
    return profile;
}

}  // namespace commmap
