// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Writes a profile in which rank r sends one message of BYTES to (r + DISTANCE) mod RANKS, recorded
// on n0, n1, ...; with LABEL half of the time in a phase of that name, with the same messages, and
// the ranks are a grid of one row, and a graph. It is of the program that FILE is named by, else of
// build-id:00.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/profile/store/store.hpp"

int main(int argc, char** argv) {
    if (argc != 5 && argc != 6) {
        std::fprintf(stderr, "usage: make_profile FILE RANKS DISTANCE BYTES [LABEL]\n");
        return 2;
    }
    const auto ranks = static_cast<commmap::RankId>(std::atoi(argv[2]));
    const auto distance = static_cast<commmap::RankId>(std::atoi(argv[3]));
    const auto bytes = static_cast<std::uint64_t>(std::atoll(argv[4]));
    commmap::Profile profile;
    const std::string path = argv[1];
    const auto name = commmap::parse_stored_name(path.substr(path.rfind('/') + 1));
    profile.application_id = name ? name->application_id : "build-id:00";
    profile.command = "/made/by/a/test";
    profile.mpi_library = "none";
    for (commmap::RankId node = 0; node < (ranks + 1) / 2; ++node)
        profile.nodes.push_back("n" + std::to_string(node));
    commmap::Phase& phase = profile.phases.emplace_back();
    for (commmap::RankId rank = 0; rank < ranks; ++rank) {
        commmap::ProfileRank record;
        record.wall_s = 10.0;
        record.mpi_s = 9.0;
        record.node = rank / 2;
        record.cpus = "0-1";
        profile.ranks.push_back(record);
        phase.sent.add_row(std::vector<commmap::TrafficCell>{
            {(rank + distance) % ranks, static_cast<std::uint32_t>(commmap::size_bucket(bytes)), 1,
             bytes}});
    }
    if (argc == 6) {
        std::vector<commmap::RankId>& world = profile.communicators.emplace_back();
        commmap::ProcessTopology graph;
        for (commmap::RankId rank = 0; rank < ranks; ++rank) {
            world.push_back(rank);
            graph.destinations.push_back({(rank + distance) % ranks});
        }
        profile.topologies = {
            {.communicator = 0, .dims = {1, ranks}, .periodic = {0, 1}, .destinations = {}}, graph};
        profile.topologies.resize(10, graph);
        profile.call_names = {"MPI_Send", "MPI_Wait", "MPI_File_read"};
        for (commmap::ProfileRank& rank : profile.ranks)
            rank.calls = {{0, 1.0F, 10}, {1, 3.0F, 5}, {2, 0.0F, 2, 3000}};
        for (commmap::RankId rank = 0; rank < ranks; ++rank)
            profile.ranks[rank].open_sends = {{1, rank, 4, 6}};
        for (commmap::ProfileRank& rank : profile.ranks) rank.early_messages = {8, 2};
        for (commmap::RankId rank = 0; rank < ranks; ++rank)
            profile.ranks[rank].waits = {{(rank + distance) % ranks, rank == 0 ? 1.5F : 0.5F, 2}};
        phase.wall_s = 5.0;
        commmap::Phase named = phase;
        named.label = argv[5];
        named.mpi_s = 2.5;
        named.entered = 3;
        for (commmap::RankId rank = 0; rank < ranks; ++rank)
            named.rank_times.push_back({5.0F, rank == 0 ? 2.0F : 2.5F});
        profile.phases.push_back(named);
    }
    const auto status = commmap::write_profile_file(argv[1], profile);
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return status ? 0 : 1;
}
