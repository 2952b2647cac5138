// Writes a profile in which rank r sends one message of BYTES to (r + DISTANCE) mod RANKS, recorded
// on n0, n1, ...
#include <cstdio>
#include <cstdlib>

#include "core/profile/store.hpp"

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: make_profile FILE RANKS DISTANCE BYTES\n");
        return 2;
    }
    const auto ranks = static_cast<commmap::RankId>(std::atoi(argv[2]));
    const auto distance = static_cast<commmap::RankId>(std::atoi(argv[3]));
    const auto bytes = static_cast<std::uint64_t>(std::atoll(argv[4]));
    commmap::Profile profile;
    profile.application_id = "build-id:00";
    profile.command = "/made/by/a/test";
    profile.mpi_library = "none";
    for (commmap::RankId node = 0; node < (ranks + 1) / 2; ++node)
        profile.nodes.push_back("n" + std::to_string(node));
    commmap::Phase& phase = profile.phases.emplace_back();
    for (commmap::RankId rank = 0; rank < ranks; ++rank) {
        commmap::RankRecord record;
        record.wall_s = 10.0;
        record.mpi_s = 9.0;
        record.node = rank / 2;
        record.cpus = "0-1";
        profile.ranks.push_back(record);
        phase.sent.add_row(std::vector<commmap::TrafficCell>{
            {(rank + distance) % ranks, static_cast<std::uint32_t>(commmap::size_bucket(bytes)), 1,
             bytes}});
    }
    const auto status = commmap::write_profile_file(argv[1], profile);
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return status ? 0 : 1;
}
