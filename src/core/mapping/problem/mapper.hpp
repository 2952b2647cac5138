#pragma once

#include <cstddef>
#include <string_view>

#include "commmap/result.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// A mapping algorithm: one file, one test file, one row of mapper_table().
struct MapperInfo {
    std::string_view name;
    std::string_view summary;
    std::string_view source;
    /// The planner tries it on jobs of up to so many ranks; 0: only on request. A search
    /// from each of four starts finds a better placement of a small job. In a large job only the
    /// search that starts from multisection is worth its time (bench/results/plan.json).
    std::size_t candidate_up_to_ranks;
    Result<Mapping> (*map)(const MappingProblem& problem, const MapperOptions& options);
    /// The mapper whose placement it refines: who has that placement calls refine_mapping() instead
    /// of map(), for the same result.
    std::string_view refines = "";
    /// A plan takes linear's placement for it where that costs less (fall_back_to_linear()); map()
    /// itself never does.
    bool or_linear_in_plans = false;
};

}  // namespace commmap
