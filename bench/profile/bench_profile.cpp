// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Time, memory and size of a large profile's file: bench_profile RANKS NUMBERING FILE write|read. A
// periodic 27-point stencil of four phases, row-major or renumbered, with lengths that differ a
// little from pair to pair.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../measure.hpp"
#include "core/collectives/expansion/expand_profile.hpp"
#include "core/profile/store/store.hpp"

namespace commmap {
namespace {

constexpr int num_phases = 4;

Phase stencil(RankId ranks, bool renumbered, std::mt19937_64& random) {
    const auto dims = cube(ranks);
    std::vector<RankId> rank_at(ranks);
    std::iota(rank_at.begin(), rank_at.end(), RankId{0});
    if (renumbered) std::shuffle(rank_at.begin(), rank_at.end(), std::mt19937_64(1));
    std::vector<RankId> place_of(ranks);
    for (RankId place = 0; place < ranks; ++place) place_of[rank_at[place]] = place;
    Phase phase;
    phase.sent.reserve(ranks, std::size_t{ranks} * 26);
    std::vector<TrafficCell> row;
    for (RankId rank = 0; rank < ranks; ++rank) {
        const RankId place = place_of[rank];
        const RankId x = place / (dims[1] * dims[2]);
        const RankId y = place / dims[2] % dims[1];
        const RankId z = place % dims[2];
        row.clear();
        for (RankId n = 0; n < 27; ++n) {
            if (n == 13) continue;
            const std::array<RankId, 3> step{n / 9, n / 3 % 3, n % 3};  // 1: the same
            const RankId there = ((x + step[0] + dims[0] - 1) % dims[0] * dims[1] +
                                  (y + step[1] + dims[1] - 1) % dims[1]) *
                                     dims[2] +
                                 (z + step[2] + dims[2] - 1) % dims[2];
            const auto equal = std::count(step.begin(), step.end(), 1U);
            const std::uint64_t bytes = (equal == 2   ? 65536U
                                         : equal == 1 ? 1024U
                                                      : 16U) -
                                        random() % 16;
            row.push_back({rank_at[there], static_cast<std::uint32_t>(size_bucket(bytes)), 1000,
                           1000 * bytes});
        }
        std::sort(row.begin(), row.end(),
                  [](const TrafficCell& a, const TrafficCell& b) { return a.key() < b.key(); });
        phase.sent.add_row(row);
    }
    return phase;
}

Profile profile_of(RankId ranks, bool renumbered) {
    std::mt19937_64 random(2);
    Profile profile;
    profile.application_id = "build-id:00";
    constexpr RankId ranks_per_node = 128;
    for (RankId node = 0; node * ranks_per_node < ranks; ++node)
        profile.nodes.push_back("node" + std::to_string(node));
    for (RankId rank = 0; rank < ranks; ++rank)
        profile.ranks.push_back({.wall_s = 100.0,
                                 .mpi_s = static_cast<double>(random() % 1000) * 0.01,
                                 .node = rank / ranks_per_node,
                                 .cpus = std::to_string(rank % ranks_per_node),
                                 .calls = {},
                                 .waits = {},
                                 .open_sends = {}});
    std::vector<RankId> world(ranks);
    std::iota(world.begin(), world.end(), RankId{0});
    profile.communicators.push_back(std::move(world));
    for (int i = 0; i < num_phases; ++i) {
        Phase& phase = profile.phases.emplace_back(stencil(ranks, renumbered, random));
        phase.label = "phase " + std::to_string(i);
        phase.collectives = {{CollectiveOp::allreduce, 0, no_id, 1000, 1, 8, false}};
    }
    return profile;
}

/// One after the other, each with its time and the memory at its end.
class Rows {
public:
    Rows(RankId ranks, std::string numbering) : ranks_(ranks), numbering_(std::move(numbering)) {}
    template <class Work>
    auto time(const char* part, Work&& work) {
        const auto begin = std::chrono::steady_clock::now();
        auto result = std::forward<Work>(work)();
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        rows.push_back({{"ranks", ranks_},
                        {"numbering", numbering_},
                        {"part", part},
                        {"seconds", seconds.count()},
                        {"peak_mib", peak_mib()}});
        return result;
    }
    nlohmann::json rows = nlohmann::json::array();

private:
    RankId ranks_;
    std::string numbering_;
};

nlohmann::json write(RankId ranks, const std::string& numbering, const std::string& file) {
    Rows rows(ranks, numbering);
    const Profile profile = profile_of(ranks, numbering == "renumbered");
    std::size_t cells = 0;
    for (const Phase& phase : profile.phases) cells += phase.sent.num_cells();
    const auto save = [&](const char* part, Compress compress) {
        const std::size_t bytes = rows.time(part, [&] {
            must(write_profile_file(file, profile, compress));
            return must(open_file(file, max_profile_bytes)).size_bytes;
        });
        rows.rows.back()["bytes_per_cell"] =
            static_cast<double>(bytes) / static_cast<double>(cells);
    };
    save("write as it is", nullptr);
    save("write compressed", compress_zstd);
    return rows.rows;
}

nlohmann::json read(RankId ranks, const std::string& numbering, const std::string& file) {
    Rows rows(ranks, numbering);
    const ProfileFile opened = rows.time("open", [&] { return must(open_profile_file(file)); });
    Profile profile;
    profile.ranks.resize(opened.num_ranks());
    rows.time("read one phase", [&] {
        profile.phases.push_back(must(opened.phase(1)));
        return 0;
    });
    profile.communicators = must(opened.communicators());
    const auto collectives = std::exchange(profile.phases[0].collectives, {});
    const auto graph = [&](const char* part) {
        rows.rows.back()["entries"] =
            rows.time(part, [&] { return must(expand_profile(profile)); }).num_entries();
    };
    graph("make a graph of its messages");
    profile.phases[0].collectives = collectives;
    graph("make a graph with an allreduce of all ranks");
    return rows.rows;
}

}  // namespace
}  // namespace commmap

/// One kind of work a process: the peak of memory is the process's.
int main(int argc, char** argv) {
    const auto ranks = static_cast<commmap::RankId>(argc == 5 ? std::atoi(argv[1]) : 0);
    const std::string numbering = argc == 5 ? argv[2] : "";
    const std::string work = argc == 5 ? argv[4] : "";
    if (ranks < 64 || (ranks & (ranks - 1)) != 0 || (work != "write" && work != "read") ||
        (numbering != "row-major" && numbering != "renumbered")) {
        std::fprintf(stderr,
                     "usage: bench_profile RANKS row-major|renumbered FILE write|read (RANKS a "
                     "power of two from 64)\n");
        return 2;
    }
    const auto result = work == "write" ? commmap::write(ranks, numbering, argv[3])
                                        : commmap::read(ranks, numbering, argv[3]);
    std::printf("%s\n", result.dump(2).c_str());
    return 0;
}
