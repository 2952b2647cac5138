// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string_view>

#include "commmap/result.hpp"
#include "core/mapping/problem/mapping_problem.hpp"

namespace commmap {

/// Describes a mapping algorithm (mapper): its name, what it does, and how to call it. A mapper is
/// one file, one test file, and one row of mapper_table().
struct MapperInfo {
    std::string_view name;  ///< as users write it: "greedy"
    std::string_view summary;
    std::string_view source;  ///< the paper; empty: none
    /// The planner tries this mapper on jobs of up to so many ranks; 0: only on request. A search
    /// from each of four starts finds a better placement of a small job. In a large job only the
    /// search that starts from multisection is worth its time (bench/results/plan.json).
    std::size_t candidate_up_to_ranks;
    Result<Mapping> (*map)(const MappingProblem& problem, const MapperOptions& options);
    /// Name of the mapper whose placement this mapper refines; empty: it refines none. A caller
    /// that has that placement may call refine_mapping() instead of map(), for the same result.
    std::string_view refines = "";
    /// A plan replaces this mapper's placement by linear's when linear's costs less
    /// (fall_back_to_linear()). map() itself never does.
    bool or_linear_in_plans = false;
};

}  // namespace commmap
