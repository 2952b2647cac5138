// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Writes a profile at a limit: one message in all ("one"), or a message of each size from each rank
// to each other ("all"), of lengths that differ from pair to pair ("unlike"). Half of the run is
// spent in MPI.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/profile/store/store.hpp"

int main(int argc, char** argv) {
    using namespace commmap;
    const std::string_view what = argc == 4 ? argv[3] : "";
    if (what != "one" && what != "all" && what != "unlike") {
        std::fprintf(stderr, "usage: make_extreme FILE RANKS one|all|unlike\n");
        return 2;
    }
    const auto ranks = static_cast<RankId>(std::atoi(argv[2]));
    Profile profile;
    profile.application_id = "build-id:00";
    profile.nodes = {"n0"};
    ProfileRank record;
    record.wall_s = 10.0;
    record.mpi_s = 5.0;
    profile.ranks.assign(ranks, record);
    Phase& phase = profile.phases.emplace_back();
    for (RankId rank = 0; rank < ranks; ++rank) {
        std::vector<TrafficCell> row;
        if (what == "one" && rank == 0) row.push_back({ranks - 1, 0, 1, 1});
        for (RankId peer = 0; what != "one" && peer < ranks; ++peer) {
            const std::uint64_t less = what == "unlike" ? rank * ranks + peer : 0;
            for (std::uint32_t bucket = 0; peer != rank && bucket < num_size_buckets; ++bucket) {
                const std::uint64_t longest = std::uint64_t{1} << (4 + 2 * bucket);
                row.push_back({peer, bucket, 1, longest - less % (longest * 3 / 4)});
            }
        }
        phase.sent.add_row(row);
    }
    const auto status = write_profile_file(argv[1], profile);
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return status ? 0 : 1;
}
