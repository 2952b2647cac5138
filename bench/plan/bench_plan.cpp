// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Time and memory of one plan, part by part: a scrambled 27-point stencil on one of two trees.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../measure.hpp"
#include "core/base/file.hpp"
#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/layout.hpp"
#include "core/plan/planner.hpp"
#include "core/profile/store/store.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {
namespace {

constexpr std::uint64_t face_bytes = 65536;
constexpr std::uint64_t edge_bytes = 1024;
constexpr std::uint64_t corner_bytes = 16;

/// 100 exchanges of a 27-point halo, grid position = permutation of the rank, no wrap-around; one
/// allreduce each.
Profile stencil(int ranks, std::uint64_t seed) {
    const auto dims = cube(ranks);
    std::vector<RankId> rank_at(static_cast<std::size_t>(ranks));
    std::iota(rank_at.begin(), rank_at.end(), RankId{0});
    std::shuffle(rank_at.begin(), rank_at.end(), std::mt19937_64(seed));
    const auto at = [&](int x, int y, int z) {
        const int cell = (x * dims[1] + y) * dims[2] + z;
        return rank_at[static_cast<std::size_t>(cell)];
    };
    Profile profile;
    profile.application_id = "build-id:00";
    profile.nodes = {"n0"};
    profile.ranks.resize(static_cast<std::size_t>(ranks));
    std::vector<std::vector<TrafficCell>> rows(profile.ranks.size());
    const auto inside = [&](int x, int y, int z) {
        return x >= 0 && y >= 0 && z >= 0 && x < dims[0] && y < dims[1] && z < dims[2];
    };
    for (int x = 0; x < dims[0]; ++x) {
        for (int y = 0; y < dims[1]; ++y) {
            for (int z = 0; z < dims[2]; ++z) {
                ProfileRank& record = profile.ranks[at(x, y, z)];
                record.wall_s = 10.0;
                record.mpi_s = 8.0;
                for (int n = 0; n < 27; ++n) {
                    const int dx = n / 9 - 1;
                    const int dy = n / 3 % 3 - 1;
                    const int dz = n % 3 - 1;
                    const int distance = std::abs(dx) + std::abs(dy) + std::abs(dz);
                    if (distance == 0 || !inside(x + dx, y + dy, z + dz)) continue;
                    const std::uint64_t bytes = distance == 1   ? face_bytes
                                                : distance == 2 ? edge_bytes
                                                                : corner_bytes;
                    rows[at(x, y, z)].push_back({at(x + dx, y + dy, z + dz),
                                                 static_cast<std::uint32_t>(size_bucket(bytes)),
                                                 100, 100 * bytes});
                }
            }
        }
    }
    std::vector<RankId> world(profile.ranks.size());
    std::iota(world.begin(), world.end(), RankId{0});
    profile.communicators.push_back(std::move(world));
    for (auto& row : rows)
        std::sort(row.begin(), row.end(),
                  [](const TrafficCell& a, const TrafficCell& b) { return a.key() < b.key(); });
    profile.phases.emplace_back().sent = TrafficMatrix(rows);
    profile.phases[0].collectives.push_back({CollectiveOp::allreduce, 0, no_id, 100, 1, 8, false});
    return profile;
}

struct Tree {
    const char* name;
    int pus_per_node;
    int nodes_per_switch;
};
constexpr std::array trees{Tree{"three-level", 64, 16},  // switches of 16 nodes with 64 PUs
                           Tree{"flat", 2, 1 << 20}};    // small nodes, all on one switch

/// 12 GB/s ports, uplinks of four times that.
std::string cluster_text(const Tree& tree, int nodes) {
    const int per_switch = tree.nodes_per_switch;
    const int switches = (nodes + per_switch - 1) / per_switch;
    std::string text =
        "version: 1\nlinks:\n  port: {bandwidth: 12 GB/s, latency: 1 us}\n  uplink: {bandwidth: 48 "
        "GB/s, latency: 1 us}\n"
        "node_classes:\n  fat: {hwloc: {synthetic: 'package:2 core:" +
        std::to_string(tree.pus_per_node / 2) +
        " pu:1'}, link: port}\nswitches:\n  root: {switches: [";
    for (int s = 0; s < switches; ++s) text += (s == 0 ? "s" : ", s") + std::to_string(s);
    text += "]}\n";
    for (int s = 0; s < switches; ++s) {
        const int last = std::min(nodes, (s + 1) * per_switch) - 1;
        text += "  s" + std::to_string(s) + ": {nodes: 'n[" + std::to_string(s * per_switch) + "-" +
                std::to_string(last) + "]', class: fat, link: uplink}\n";
    }
    return text;
}

class Rows {
public:
    Rows(const Tree& tree, int ranks) : tree_(tree), ranks_(ranks) {}
    template <class F>
    auto time(const std::string& part, F&& work) {
        const auto begin = std::chrono::steady_clock::now();
        auto result = std::forward<F>(work)();
        add(part, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        return result;
    }
    void add(const std::string& part, double seconds) {
        rows.push_back({{"tree", tree_.name},
                        {"ranks", ranks_},
                        {"part", part},
                        {"seconds", seconds},
                        {"peak_mib", peak_mib()}});
    }
    nlohmann::json rows = nlohmann::json::array();

private:
    const Tree& tree_;
    int ranks_;
};

/// Mappers that plans do not try are timed up to so many ranks.
constexpr int most_ranks_of_every_mapper = 256;

nlohmann::json run(const Tree& tree, int ranks) {
    const int nodes = std::max(1, ranks / tree.pus_per_node);
    Rows rows(tree, ranks);
    const Profile recorded = stencil(ranks, 1);
    const std::string file = rows.time("encode profile", [&] { return encode_profile(recorded); });
    const Profile profile = rows.time("decode profile", [&] { return must(decode_profile(file)); });
    const Cluster cluster = rows.time("read cluster YAML", [&] {
        return must(parse_cluster_yaml(cluster_text(tree, nodes), "bench.yaml"));
    });
    const Allocation allocation = whole_cluster(cluster);
    const Scenario scenario = rows.time("tree, candidate PUs, collectives expanded", [&] {
        return must(make_scenario(profile, cluster, allocation, static_cast<std::uint32_t>(ranks)));
    });
    const auto block = block_placement(scenario.hct, scenario.candidate_pus);
    const double before =
        rows.time("estimate one placement",
                  [&] { return must(port_cost(scenario.graph, scenario.hct, block)); })
            .cost_s;
    const double hops_before = must(hop_bytes(scenario.graph, scenario.hct, block));
    const MappingProblem problem =
        mapping_problem(scenario, RunTime::of_costs(scenario.run->num_steps()), false);
    for (const MapperInfo& mapper : mapper_table()) {
        const bool is_tried = profile.num_ranks() <= mapper.candidate_up_to_ranks;
        if (!is_tried && ranks > most_ranks_of_every_mapper) continue;
        const Result<Mapping> mapped = rows.time("mapper " + std::string(mapper.name),
                                                 [&] { return mapper.map(problem, {}); });
        if (!mapped.ok() && !is_tried) {  // a paper's algorithm may list too many sets
            rows.rows.back()["refused"] = mapped.error().message;
            continue;
        }
        const std::vector<PuId> pu_of_rank = must(mapped).pu_of_rank;
        rows.rows.back()["tried_by_plans"] = is_tried;
        rows.rows.back()["cost_ratio_to_block"] =
            must(port_cost(scenario.graph, scenario.hct, pu_of_rank)).cost_s / before;
        rows.rows.back()["hop_bytes_ratio_to_block"] =
            must(hop_bytes(scenario.graph, scenario.hct, pu_of_rank)) / hops_before;
    }
    const Plan plan =
        rows.time("whole plan", [&] { return must(make_plan(scenario, profile, cluster, {})); });
    rows.rows.back()["chosen"] = plan.chosen().name;
    rows.rows.back()["cost_ratio_to_block"] = plan.candidates[plan.best].port_cost.cost_s / before;
    rows.rows.back()["hop_bytes_ratio_to_block"] =
        plan.candidates[plan.best].hop_bytes / hops_before;
    return rows.rows;
}

/// The same case as files, for the program: DIR/profile.commmap and DIR/cluster.yaml.
void write_files(const Tree& tree, int ranks, const std::string& directory) {
    const int nodes = std::max(1, ranks / tree.pus_per_node);
    const Profile profile = stencil(ranks, 1);
    must(write_profile_file(directory + "/profile.commmap", profile));
    must(write_file_atomically(directory + "/cluster.yaml", cluster_text(tree, nodes), 0644));
}

}  // namespace
}  // namespace commmap

/// One case a process: the peak of memory is the process's.
int main(int argc, char** argv) {
    const commmap::Tree* tree = nullptr;
    const int ranks = argc >= 3 ? std::atoi(argv[2]) : 0;
    for (const commmap::Tree& known : commmap::trees)
        if ((argc == 3 || argc == 4) && std::string(argv[1]) == known.name) tree = &known;
    if (tree == nullptr || ranks < 64 || (ranks & (ranks - 1)) != 0) {
        std::fprintf(stderr,
                     "usage: bench_plan three-level|flat RANKS [DIR] (a power of two from 64; with "
                     "DIR: only writes the case's profile and cluster YAML there)\n");
        return 2;
    }
    if (argc == 4) {
        commmap::write_files(*tree, ranks, argv[3]);
        return 0;
    }
    std::printf("%s\n", commmap::run(*tree, ranks).dump(2).c_str());
    return 0;
}
