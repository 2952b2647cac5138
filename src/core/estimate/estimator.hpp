// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string_view>

#include "commmap/ids.hpp"
#include "commmap/result.hpp"
#include "core/profile/comm_graph.hpp"
#include "core/topology/hct.hpp"

namespace commmap {

/// A placement: PU of each rank, indexed by rank. Two ranks may share a PU (oversubscription).
using Placement = std::span<const PuId>;

/// Checks a placement.
/// Errors: invalid_input when the length is not graph.num_ranks() or a PU does not exist.
[[nodiscard]] Status check_placement(const CommGraph& graph, const Hct& hct, Placement placement);

struct EstimatorInfo {
    std::string_view name;
    std::string_view unit;
    std::string_view summary;
    std::string_view source;
    Result<double> (*estimate)(const CommGraph& graph, const Hct& hct, Placement placement);
};

/// Returns all estimators; lower is better for each.
[[nodiscard]] std::span<const EstimatorInfo> estimator_table();

}  // namespace commmap
