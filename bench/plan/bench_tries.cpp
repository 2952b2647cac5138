// What a try costs in the planner's searches: profiles of real programs on a cluster, in one
// thread.
#include <chrono>
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "../measure.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/mapping/refine.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/prediction.hpp"
#include "core/profile/store.hpp"
#include "core/topology/cluster_yaml.hpp"

namespace commmap {
namespace {

/// One search from each of the placements that the planner searches from.
nlohmann::json row(const std::string& path, const Cluster& cluster) {
    const Profile profile = must(read_profile_file(path));
    const auto ranks = static_cast<std::uint32_t>(profile.num_ranks());
    const Scenario scenario = must(make_scenario(profile, cluster, whole_cluster(cluster), ranks));
    const Prediction prediction(profile, scenario, cluster);
    const MappingProblem problem = mapping_problem(scenario, prediction.time(), false);
    std::uint64_t tries = 0;
    double seconds = 0.0;
    for (const MapperInfo& mapper : mapper_table()) {
        if (mapper.refines.empty() || ranks > mapper.candidate_up_to_ranks) continue;
        const Mapping start = must(must(find_mapper(mapper.refines))->map(problem, {}));
        const auto begin = std::chrono::steady_clock::now();
        tries += refine_mapping(problem, {}, start).evaluations;
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    return {{"profile", path.substr(path.rfind('/') + 1)},
            {"ranks", ranks},
            {"tries", tries},
            {"us_per_try", 1e6 * seconds / static_cast<double>(tries)}};
}

int print_rows(int argc, char** argv) {
    const Cluster cluster = must(read_cluster_yaml(argv[1]));
    nlohmann::json rows = nlohmann::json::array();
    for (int i = 2; i < argc; ++i) rows.push_back(row(argv[i], cluster));
    std::printf("%s\n", rows.dump(2).c_str());
    return 0;
}

}  // namespace
}  // namespace commmap

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: bench_tries CLUSTER_YAML PROFILE...\n");
        return 2;
    }
    try {
        return commmap::print_rows(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_tries: %s\n", error.what());
        return 1;
    }
}
