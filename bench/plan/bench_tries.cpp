// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// What a try costs in the planner's searches: profiles of real programs on a cluster, in one
// thread.
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "../measure.hpp"
#include "core/mapping/improvement/local_search.hpp"
#include "core/mapping/mapper_table.hpp"
#include "core/plan/planner.hpp"
#include "core/plan/prediction.hpp"
#include "core/profile/store/store.hpp"
#include "rows_of_profiles.hpp"

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

}  // namespace
}  // namespace commmap

int main(int argc, char** argv) { return commmap::rows_of_profiles(argc, argv, commmap::row); }
