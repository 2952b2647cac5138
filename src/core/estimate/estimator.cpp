// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/estimate/estimator.hpp"

#include <fmt/core.h>

#include <array>
#include <string>

#include "core/estimate/hop_bytes.hpp"
#include "core/estimate/port_cost.hpp"
#include "core/estimate/process_time.hpp"
#include "core/estimate/sweeney_cost.hpp"

namespace commmap {

Status check_placement(const CommGraph& graph, const Hct& hct, Placement placement) {
    if (placement.size() != graph.num_ranks()) {
        return Error{Errc::invalid_input,
                     fmt::format("the placement has {} ranks, the communication graph {}",
                                 placement.size(), graph.num_ranks())};
    }
    for (std::size_t rank = 0; rank < placement.size(); ++rank) {
        if (placement[rank] >= hct.num_pus()) {
            return Error{Errc::invalid_input,
                         fmt::format("rank {} is placed on PU {}, the topology has PUs 0..{}-1",
                                     rank, placement[rank], hct.num_pus())};
        }
    }
    return Ok{};
}

namespace {

Result<double> port_cost_s(const CommGraph& graph, const Hct& hct, Placement placement) {
    const Result<PortCost> cost = port_cost(graph, hct, placement);
    if (!cost) return cost.error();
    return cost.value().cost_s;
}

constexpr std::array all_estimators{
    EstimatorInfo{"port_cost", "s",
                  "busiest port of the tree, with overlap up to its maximum bandwidth",
                  "Sweeney et al., IBM Research Report, Sec. 5, Fig. 4", port_cost_s},
    EstimatorInfo{"sweeney", "s", "busiest port as the paper's figure has it, for comparison",
                  "Sweeney et al., IBM Research Report, Sec. 5, Fig. 4", sweeney_cost},
    EstimatorInfo{"process_time", "s", "slowest process, every message alone on its slowest link",
                  "Khoroshevsky, Kurnosov, ICSOFT 2009, Sec. 3.1", process_time},
    EstimatorInfo{"hop_bytes", "B*hops", "bytes times links crossed, all pairs together",
                  "arXiv:1702.04164", hop_bytes},
};

}  // namespace

std::span<const EstimatorInfo> estimator_table() { return all_estimators; }

}  // namespace commmap
