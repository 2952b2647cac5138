// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>

#include "core/profile/profile.hpp"

namespace commmap {

/// Three ranks on two nodes; every field set, messages at both ends of the buckets.
inline Profile sample_profile() {
    Profile profile;
    profile.application_id = "build-id:00ff";
    profile.command = "/home/u/cfd";
    profile.mpi_library = "Open MPI v4.1.4";
    profile.recorder_version = "0.1.0";
    profile.recorded_unix_s = 1'700'000'000;
    profile.job_id = 42;
    profile.runs = 3;
    profile.nodes = {"n1", "n2"};
    profile.localities = {"NM0:SK0", ""};
    profile.programs = {{"build-id:00", "ocean"}, {"build-id:ff", "atmosphere"}};
    profile.communicators = {{0, 1, 2}, {2, 0}};
    profile.topologies = {
        {.communicator = 0, .dims = {3, 1}, .periodic = {1, 0}, .destinations = {}},
        {.communicator = 1, .dims = {}, .periodic = {}, .destinations = {{0, 2}, {}}}};
    Phase& phase = profile.phases.emplace_back();
    phase.label = "solve";
    phase.wall_s = 1.25;
    phase.mpi_s = 0.25;
    phase.entered = 7;
    phase.times = {{0.0, 0.5}, {0.75, 1.5}};
    phase.rank_times = {{1.25F, 0.25F}, {1.0F, 0.5F}, {0.0F, 0.0F}};
    profile.slice_s = 0.25;
    profile.phases_lost = true;
    phase.collectives = {{.op = CollectiveOp::bcast,
                          .communicator = 1,
                          .root = 2,
                          .calls = 5,
                          .member_calls = 10,
                          .member_bytes = 83},
                         {.op = CollectiveOp::alltoall,
                          .communicator = 0,
                          .root = no_id,
                          .calls = 1,
                          .member_calls = 1,
                          .member_bytes = 7,
                          .in_peer_traffic = true}};
    profile.ranks.resize(3);
    profile.ranks[0] = {1.5, 0.25, 0, "0-3,8", {}, {}, {}};
    profile.ranks[1] = {1.25, 0.5, 1, "1", {}, {}, {}};
    profile.ranks[2] = {1.0, 0.0, 1, "", {}, {}, {}};
    profile.ranks[1].locality = 1;
    profile.ranks[2].program = 1;
    profile.call_names = {"MPI_Send", "MPI_Waitall"};
    profile.ranks[0].calls = {{0, 0.125F, 4}, {1, 0.0F, 2, 4096}};
    profile.ranks[2].calls = {{1, 1.0F, 1}};
    profile.ranks[0].waits = {{0, 0.5F, 3}, {2, 0.0F, 1}};
    profile.ranks[2].waits = {{1, 0.25F, 7}};
    profile.ranks[0].early_messages = {.looked_at = 9, .early = 4};
    profile.ranks[1].open_sends = {{3, 2, 7, 9}, {12, 0, 1, 0}};
    const std::vector<TrafficCell> to_1 = {{1, 0, 3, 0}, {1, 12, 1, std::uint64_t{1} << 40}};
    phase.sent = TrafficMatrix({{to_1[0], to_1[1], {2, 1, 2, 100}}, {}, to_1});
    profile.rounds.collectives = {
        {.communicator = 0, .op = CollectiveOp::alltoall, .in_peer_traffic = true},
        {.communicator = 1, .op = CollectiveOp::bcast, .bucket = 1, .root = 2}};
    profile.rounds.ranks.resize(3);
    RankRounds& rounds = profile.rounds.ranks[0];
    rounds.signatures = {{.rounds = 3,
                          .seconds = 0.5,
                          .before_wait_s = 0.25,
                          .sent = {to_1[0], {2, 1, 2, 100}},
                          .put = {},
                          .fetched = {},
                          .received = {{2, 1}},
                          .collectives = {},
                          .meetings = {}},
                         {.rounds = 5,
                          .seconds = 0.125,
                          .before_wait_s = 0.0,
                          .sent = {},
                          .put = {{1, 0, 2, 8}},
                          .fetched = {{1, 12, 1, std::uint64_t{1} << 40}},
                          .received = {},
                          .collectives = {{1, 5, 80}},
                          .meetings = {{0, 1, 0}, {1, 1, 1}}}};
    rounds.other_rounds = 1;
    rounds.order = {0, 1, 0, 1, 0, 1, RankRounds::other, 1, 1};
    rounds.successions = {{0, 1, 3}, {1, 0, 2}, {1, RankRounds::other, 1}};
    // the same seen from another rank, and nothing
    profile.rounds.ranks[2] = rounds;
    for (auto* cells :
         {&profile.rounds.ranks[2].signatures[0].sent, &profile.rounds.ranks[2].signatures[1].put,
          &profile.rounds.ranks[2].signatures[1].fetched})
        for (TrafficCell& cell : *cells) cell.peer = (cell.peer + 2) % 3;
    std::sort(profile.rounds.ranks[2].signatures[0].sent.begin(),
              profile.rounds.ranks[2].signatures[0].sent.end(),
              [](const TrafficCell& a, const TrafficCell& b) { return a.key() < b.key(); });
    profile.rounds.ranks[1].unclear = true;
    return profile;
}

}  // namespace commmap
